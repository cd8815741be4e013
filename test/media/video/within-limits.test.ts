import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FinishedFile } from '../../../src/media/protocol.ts'
import { basicDefaults, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { type Clip, evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-limits-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let clips = 0

/** A recipe that names limits only, for an H.264 film of 160 × 90 with 25 pictures a second. */
async function limited(
  recipe: Partial<VideoRecipe>,
  clip: Partial<Clip> & { readonly extension?: string } = {},
): Promise<FinishedFile> {
  clips += 1
  const path = join(folder, `film-${clips}.${clip.extension ?? 'mp4'}`)
  await makeClip(path, { width: 160, height: 90, times: evenTimes(12, 25), ...clip })
  return runJob(path, folder, { crf: undefined, ...recipe })
}

const isCopied = ({ notes }: FinishedFile): boolean => notes.includes('pictures-copied')

describe('a film within all limits of a recipe without a quality of its own', () => {
  it.each<[string, Partial<VideoRecipe>]>([
    ['of a codec alone', {}],
    ['of a height', { height: 90 }],
    ['of a rate', { fps: 25 }],
    ['of all', { height: 720, fps: 30, container: 'mkv', metadata: 'strip' }],
  ])('%s is copied', async (_, recipe) => {
    const finished = await limited(recipe)
    expect(isCopied(finished)).toBe(true)
    const { codecs, times } = await readClip(finished.temporaryPath)
    expect([codecs[0], times.length]).toEqual(['h264', 12])
  })

  it('keeps its pictures to the last bit, while its sound may change', async () => {
    const made = await limited({ container: 'mkv', audio: 'opus' }, { sound: 0.5 })
    expect(isCopied(made)).toBe(true)
    expect((await readClip(made.temporaryPath)).codecs).toEqual(['h264', 'opus'])
  })
})

describe('a film is encoded', () => {
  it.each<[string, Partial<VideoRecipe>, Partial<Clip> & { readonly extension?: string }]>([
    ['over the height', { height: 80 }, {}],
    ['over the rate', { fps: 20 }, {}],
    ['in another codec', { codec: 'hevc' }, {}],
    ['that is to be cut', { crop: { aspect: 1 } }, {}],
    ['that is to be turned', { rotate: 90 }, {}],
    ['that is to be grey', { grayscale: true }, {}],
    ['with colours that not every player shows', {}, { pixelFormat: 'yuv444p' }],
    [
      'with wide pixels that make it larger than it seems',
      { height: 100 },
      { width: 80, height: 120, pixelAspect: [2, 1] },
    ],
    ['by a recipe with a crf', { crf: 30 }, {}],
    ['by a recipe with a bit rate', { bitrate: 100_000 }, {}],
    ['when no preset is named', basicDefaults().video ?? {}, {}],
  ])('%s', async (_, recipe, clip) => {
    expect(isCopied(await limited(recipe, clip))).toBe(false)
  })

  it('for every variation', async () => {
    const path = join(folder, 'varied.mp4')
    await makeClip(path, { width: 160, height: 90, times: evenTimes(3, 25) })
    const variation = {
      brightness: 1.1,
      saturation: 1,
      hue: 0,
      rotation: 0,
      mirror: false,
      cropLeft: 0,
      cropTop: 0,
      cropRight: 0,
      cropBottom: 0,
    }
    expect(isCopied(await runJob(path, folder, { crf: undefined }, { variation }))).toBe(false)
  })
})

describe('real videos', () => {
  it.each(corpusFile('h264-2-audio-2-subtitles.mkv'))(
    '$file within its limits is copied',
    async ({ path }) => {
      const finished = await runJob(path, folder, { crf: undefined, height: 1080 })
      expect(isCopied(finished)).toBe(true)
      expect((await readClip(finished.temporaryPath)).times.length).toBe(390)
    },
  )

  it.each(corpusFile('dolbyVision-hdr.MOV'))('$file is copied as it is or tone-mapped', async ({ path }) => {
    const recipe = { crf: undefined, codec: 'hevc' } as const
    const kept = await runJob(path, folder, recipe)
    expect(isCopied(kept)).toBe(true)
    expect((await readClip(kept.temporaryPath)).times.length).toBe(5)
    expect(isCopied(await runJob(path, folder, { ...recipe, hdr: 'tone-map' }))).toBe(false)
  })
})

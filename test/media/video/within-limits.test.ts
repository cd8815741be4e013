import { describe, expect, it } from 'vitest'
import type { FinishedFile } from '../../../src/media/protocol.ts'
import { basicDefaults, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { NO_VARIATION } from '../no-variation.ts'
import type { Clip } from './make-clip.ts'
import { clip, resultOf, runJob, useClipFolder } from './run-job.ts'
import { describeInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

/** Processes an H.264 video of 160 × 90 at 25 frames per second with a recipe that only has limits. */
const limited = async (
  recipe: Partial<VideoRecipe>,
  { extension, ...changes }: Partial<Clip> & { readonly extension?: string } = {},
) => resultOf(await clip(changes, extension), { crf: undefined, ...recipe })

const isCopied = ({ notes }: FinishedFile): boolean => notes.includes('pictures-copied')

describe('a video within all limits of a recipe without an explicit quality', () => {
  it.each<[string, Partial<VideoRecipe>]>([
    ['with only a codec', {}],
    ['with a height', { height: 90 }],
    ['with a frame rate', { fps: 25 }],
    ['of all', { height: 720, fps: 30, container: 'mkv', metadata: 'strip' }],
  ])('%s is copied', async (_, recipe) => {
    const finished = await limited(recipe)
    expect(isCopied(finished)).toBe(true)
    expect([finished.codecs[0], finished.times.length]).toEqual(['h264', 12])
  })

  it('keeps its encoded frames unchanged, although its audio may change', async () => {
    const made = await limited({ container: 'mkv', audio: 'opus' }, { sound: 0.5 })
    expect(isCopied(made)).toBe(true)
    expect(made.codecs).toEqual(['h264', 'opus'])
  })
})

describe('a video is encoded', () => {
  it.each<[string, Partial<VideoRecipe>, Partial<Clip> & { readonly extension?: string }]>([
    ['over the height', { height: 80 }, {}],
    ['over the frame rate', { fps: 20 }, {}],
    ['in another codec', { codec: 'hevc' }, {}],
    ['that is to be cropped', { crop: { aspect: 1 } }, {}],
    ['that is to be rotated', { rotate: 90 }, {}],
    ['that is to be gray', { grayscale: true }, {}],
    ['with colors that not every player supports', {}, { pixelFormat: 'yuv444p' }],
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

  it('if it is a variation', async () => {
    const variation = { ...NO_VARIATION, brightness: 1.1 }
    expect(isCopied(await runJob(await clip(), { crf: undefined }, { variation }))).toBe(false)
  })
})

describeInLongSuite('real videos', () => {
  it.each(corpusFile('h264-2-audio-2-subtitles.mkv'))(
    '$file within its limits is copied',
    async ({ path }) => {
      const finished = await resultOf(path, { crf: undefined, height: 1080 })
      expect(isCopied(finished)).toBe(true)
      expect(finished.times.length).toBe(390)
    },
  )

  it.each(corpusFile('dolbyVision-hdr.MOV'))('$file is copied or tone-mapped', async ({ path }) => {
    const recipe = { crf: undefined, codec: 'hevc' } as const
    const kept = await resultOf(path, recipe)
    expect(isCopied(kept)).toBe(true)
    // Its edit list hides the fifth frame.
    expect(kept.times.length).toBe(4)
    expect(isCopied(await runJob(path, { ...recipe, hdr: 'tone-map' }))).toBe(false)
  })
})

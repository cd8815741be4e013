import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import { runUntilFit } from '../../../src/media/video/fit-size.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { type Survey, surveyVideo } from '../../../src/media/video/survey.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { evenTimes } from './make-clip.ts'
import { clip, inClipFolder, resultOf, useClipFolder, videoJob } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()
let video = ''
beforeAll(async () => {
  const picture = 'noise=alls=5:allf=t'
  video = await clip({ width: 320, height: 180, times: evenTimes(75, 25), sound: 3, picture }, 'mkv')
})

async function fit(maxBytes: number, recipe: Partial<VideoRecipe> = {}, path = video) {
  const folder = await mkdtemp(inClipFolder('results-'))
  const told: ProcessingProgress[] = []
  const onProgress = (progress: ProcessingProgress): void => void told.push(progress)
  const made = await resultOf(path, { crf: undefined, maxBytes, ...recipe }, { onProgress, folder })
  const { size } = await stat(made.temporaryPath)
  return { ...made, size, told, left: await readdir(folder) }
}

async function surveyOf(path: string): Promise<Survey> {
  const { signal } = new AbortController()
  await using source = await openSourceFile(path, signal)
  return await surveyVideo(source, signal)
}

/** Searches with sizes in percent of the limit, and returns the crf of each run. */
async function crfsTried(first: number, percentAt: (crf: number) => number) {
  const tried: number[] = []
  const survey = { seconds: 3, frames: [], audioBytes: 0, audioTracks: 0, mainAudioBytes: 0 }
  const curve = { crf: first, bytes: 95_000, slope: 0.14 }
  const plan = { job: videoJob('', {}), codec: 'h264', curve, crf: first, survey, height: 180 } as const
  const made = await runUntilFit({ ...plan, audioRate: undefined }, 100_000, async (_, crf) => {
    tried.push(crf)
    const bytes = percentAt(crf) * 1_000
    const file = { extension: 'mp4', temporaryPath: inClipFolder('none'), width: 320, height: 180 }
    return { crf, bytes, video: { ...file, notes: [], losses: [], videoBytes: bytes } }
  })
  return { tried, made }
}

describe('a video with a maximum file size', () => {
  it.each(firstOf([180_000, 300_000, 100_000, 70_000]))(
    'of %i bytes uses most of it and is complete',
    async (maxBytes) => {
      const made = await fit(maxBytes)
      expect(made.size).toBeLessThanOrEqual(maxBytes)
      expect(made.size).toBeGreaterThan(maxBytes * 0.85)
      expect([made.times.length, ...made.codecs]).toEqual([75, 'h264', 'aac'])
    },
  )

  itInLongSuite.each(firstOf(['hevc', 'vp9', 'av1'] as const))('never exceeds it in %s', async (codec) => {
    const made = await fit(90_000, { codec, container: 'mkv' })
    expect(made.size).toBeLessThanOrEqual(90_000)
    expect(made.size).toBeGreaterThan(70_000)
  })

  it('leaves only its result behind, and reports progress that never decreases', async () => {
    const { left, told } = await fit(100_000)
    expect(left).toHaveLength(1)
    const shares = told.map(({ share }) => share)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  })

  itInLongSuite('has its audio bit rate reduced if audio would use most of the limit', async () => {
    const made = await fit(60_000)
    const present = await surveyOf(video)
    const left = await surveyOf(made.temporaryPath)
    expect(present.audioBytes).toBeGreaterThan(60_000 * 0.2)
    expect(left.audioBytes).toBeGreaterThan(1_000)
    expect(left.audioBytes).toBeLessThan(present.audioBytes)
  })

  it('is copied if it is small enough already', async () => {
    const { size } = await stat(video)
    const made = await fit(size + 2_000, { container: 'mkv' })
    expect(made.notes).toEqual(['pictures-copied'])
  })

  it('has its dimensions reduced only if the recipe allows that', async () => {
    const kept = await fit(48_000, { audio: 'none' })
    const shrunk = await fit(48_000, { audio: 'none', mayShrink: true })
    expect([kept.height, kept.notes]).toEqual([180, []])
    expect(shrunk.height).toBeLessThan(180)
    expect(shrunk.notes).toEqual(['shrunk-to-fit'])
    expect(Math.max(kept.size, shrunk.size)).toBeLessThanOrEqual(48_000)
  })

  itInLongSuite('uses at least half of the limit even if it is full of noise, whose size jumps', async () => {
    const picture = 'noise=alls=20:allf=t'
    const path = await clip({ width: 320, height: 180, times: evenTimes(75, 25), picture }, 'mkv')
    const sizes: number[] = []
    for (const limit of [80_000, 120_000]) {
      const { size } = await fit(limit, { mayShrink: true, speed: 'fast' }, path)
      expect(size).toBeLessThanOrEqual(limit)
      sizes.push(Math.round((100 * size) / limit))
    }
    expect(Math.min(...sizes), sizes.join()).toBeGreaterThan(50)
  })

  it('is never encoded twice with nearly the same quality, even if a higher quality came out smaller', async () => {
    const { tried, made } = await crfsTried(25, (crf) =>
      crf <= 25 ? 172 : crf > 29 ? 50 : crf > 27 ? 45 : 80,
    )
    const distances = tried.toSorted((a, b) => a - b).map((crf, index, all) => crf - (all[index - 1] ?? 0))
    expect(Math.min(...distances), tried.join()).toBeGreaterThan(0.5)
    expect(made).toMatchObject({ videoBytes: 80_000 })
  })

  it('is refused with the smallest possible size if the limit can’t be met', async () => {
    await expect(fit(3_000)).rejects.toThrow(/The smallest possible size is \d+ kB\.$/)
  })

  itInLongSuite.each(corpusFile('rotate-buck-bunny.mp4'))('never exceeds it for $file', async ({ path }) => {
    const made = await fit(60_000, { height: 180 }, path)
    expect(made.size).toBeLessThanOrEqual(60_000)
    expect(made.size).toBeGreaterThan(54_000)
  })
})

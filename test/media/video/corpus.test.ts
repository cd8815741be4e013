import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { firstOf, isLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { readClip } from './read-clip.ts'
import { resultOf, runJob, useClipFolder } from './run-job.ts'

useClipFolder()

const SHORT_SIDE = 96
/** Skips videos with more frames than this, because minutes of video show nothing that seconds don't. */
const MOST_FRAMES = isLongSuite ? 1000 : 60

const videos = mediaCorpus().filter(({ kind, frames }) => kind === 'video' && (frames ?? 0) <= MOST_FRAMES)
const processable = firstOf(
  videos.filter((entry) => entry.expect === 'processable'),
  3,
)
const rejected = videos.filter((entry) => entry.expect === 'reject')

describe.skipIf(videos.length === 0)('real videos', () => {
  it.each(processable)(
    '$file is processed completely and upright',
    async ({ path, width, height, frames, notes }) => {
      const made = await resultOf(path, { height: SHORT_SIDE })
      expect(made.problem).toBeUndefined()
      const shape = (width ?? 0) / (height ?? 1)
      const shortSide = Math.min(width ?? 0, height ?? 0)
      expect(Math.min(made.width, made.height)).toBe(
        Math.max(2, Math.min(SHORT_SIDE, shortSide - (shortSide % 2))),
      )
      expect(made.width / made.height).toBeCloseTo(shape, 1)
      expect(Math.abs(made.times.length - (frames ?? 0))).toBeLessThanOrEqual(1)
      const { duration: given } = await readClip(path)
      expect(made.duration).toBeLessThan(given + 0.15)
      // Matroska's duration includes subtitles that outlast video and audio; MP4's doesn't.
      if (!/SRT/.test(notes ?? '')) expect(made.duration).toBeGreaterThan(given - 0.15)
      expect(made.pixelFormat).toBe('yuv420p')
      expect(made.hasDisplayMatrix).toBe(false)
    },
  )

  it.each(rejected)('$file is refused with a plain reason', async ({ path }) => {
    const error = await runJob(path, { height: SHORT_SIDE }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(FailureError)
    expect(String(error)).toMatch(/This file has no video track|its index is missing/)
  })
})

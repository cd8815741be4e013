import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProcessingError } from '../../../src/media/protocol.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { durationOf, readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-corpus-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const SHORT_SIDE = 96
/** Minutes of pictures tell nothing that seconds don't. */
const MOST_FRAMES = 1000

const videos = mediaCorpus().filter(({ kind, frames }) => kind === 'video' && (frames ?? 0) <= MOST_FRAMES)
const processable = videos.filter((entry) => entry.expect === 'processable')
const rejected = videos.filter((entry) => entry.expect === 'reject')

describe('real videos', () => {
  it.each(processable)(
    '$file comes out whole and upright',
    async ({ path, width, height, frames, notes }) => {
      const finished = await runJob(path, folder, { height: SHORT_SIDE })
      const made = await readClip(finished.temporaryPath)
      const shape = (width ?? 0) / (height ?? 1)
      const shortSide = Math.min(width ?? 0, height ?? 0)
      expect(Math.min(made.width, made.height)).toBe(
        Math.max(2, Math.min(SHORT_SIDE, shortSide - (shortSide % 2))),
      )
      expect(made.width / made.height).toBeCloseTo(shape, 1)
      expect(Math.abs(made.times.length - (frames ?? 0))).toBeLessThanOrEqual(1)
      const given = await durationOf(path)
      expect(made.duration).toBeLessThan(given + 0.15)
      // Matroska counts subtitles that outlast picture and sound in the length of the file, MP4 doesn't.
      if (!/SRT/.test(notes ?? '')) expect(made.duration).toBeGreaterThan(given - 0.15)
      expect(made.pixelFormat).toBe('yuv420p')
      expect(made.hasDisplayMatrix).toBe(false)
    },
  )

  it.each(rejected)('$file is refused with a plain reason', async ({ path }) => {
    const error = await runJob(path, folder, { height: SHORT_SIDE }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProcessingError)
    expect(String(error)).toMatch(/There is no video track in this file|its index is missing/)
  })

  it('are not needed for these tests to pass', () => {
    expect(processable.length >= rejected.length).toBe(true)
  })
})

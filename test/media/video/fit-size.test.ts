import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { type Survey, surveyFilm } from '../../../src/media/video/survey.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
let film = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-fit-'))
  film = join(folder, 'film.mkv')
  const picture = 'noise=alls=5:allf=t'
  await makeClip(film, { width: 320, height: 180, times: evenTimes(75, 25), sound: 3, picture })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fit(maxBytes: number, recipe: Partial<VideoRecipe> = {}, path = film) {
  const results = await mkdtemp(join(folder, 'results-'))
  const told: ProcessingProgress[] = []
  const onProgress = (progress: ProcessingProgress): void => void told.push(progress)
  const finished = await runJob(path, results, { crf: undefined, maxBytes, ...recipe }, { onProgress })
  const { size } = await stat(finished.temporaryPath)
  return { ...finished, size, told, left: await readdir(results) }
}

async function surveyOf(path: string): Promise<Survey> {
  const { signal } = new AbortController()
  const source = await openSourceFile(path, signal)
  try {
    return await surveyFilm(source, signal)
  } finally {
    await source.close()
  }
}

describe('a video that must stay under a size', () => {
  it.each([300_000, 180_000, 100_000, 70_000])('of %i bytes uses the room and is whole', async (maxBytes) => {
    const made = await fit(maxBytes)
    expect(made.size).toBeLessThanOrEqual(maxBytes)
    expect(made.size).toBeGreaterThan(maxBytes * 0.85)
    const { times, codecs } = await readClip(made.temporaryPath)
    expect([times.length, ...codecs]).toEqual([75, 'h264', 'aac'])
  })

  it.each(['hevc', 'vp9', 'av1'] as const)('stays under it in %s', async (codec) => {
    const made = await fit(90_000, { codec, container: 'mkv' })
    expect(made.size).toBeLessThanOrEqual(90_000)
    expect(made.size).toBeGreaterThan(70_000)
  })

  it('leaves nothing behind but its result, and tells progress that never goes back', async () => {
    const { left, told } = await fit(100_000)
    expect(left).toHaveLength(1)
    const shares = told.map(({ share }) => share)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  })

  it('lowers the sound where it would take most of the room', async () => {
    const made = await fit(60_000)
    const present = await surveyOf(film)
    const left = await surveyOf(made.temporaryPath)
    expect(present.soundBytes).toBeGreaterThan(60_000 * 0.2)
    expect(left.soundBytes).toBeGreaterThan(1_000)
    expect(left.soundBytes).toBeLessThan(present.soundBytes)
  })

  it('is copied where it is small enough already', async () => {
    const { size } = await stat(film)
    const made = await fit(size + 2_000, { container: 'mkv' })
    expect(made.notes).toEqual(['pictures-copied'])
  })

  it('shrinks its pictures only where the recipe allows that', async () => {
    const kept = await fit(48_000, { audio: 'none' })
    const shrunk = await fit(48_000, { audio: 'none', mayShrink: true })
    expect([kept.height, kept.notes]).toEqual([180, []])
    expect(shrunk.height).toBeLessThan(180)
    expect(shrunk.notes).toEqual(['shrunk-to-fit'])
    expect(Math.max(kept.size, shrunk.size)).toBeLessThanOrEqual(48_000)
  })

  it('is refused with the smallest possible size where it can’t be done', async () => {
    await expect(fit(3_000)).rejects.toThrow(/the smallest possible is \d+ kB\.$/)
  })

  it.each(corpusFile('rotate-buck-bunny.mp4'))('holds for $file', async ({ path }) => {
    const made = await fit(60_000, { height: 180 }, path)
    expect(made.size).toBeLessThanOrEqual(60_000)
    expect(made.size).toBeGreaterThan(54_000)
  })
})

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decibelsOf, search } from '../../../src/media/video/find-look.ts'
import { Look, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'
import { scoreOfFile } from './score-file.ts'

let folder = ''
let film = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-look-'))
  film = join(folder, 'film.mkv')
  const picture = 'noise=alls=3:allf=t,gblur=sigma=0.8'
  await makeClip(film, { width: 256, height: 144, times: evenTimes(50, 25), picture })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function withLook(recipe: Partial<VideoRecipe>, path = film) {
  const { temporaryPath } = await runJob(path, folder, { crf: undefined, container: 'mkv', ...recipe })
  const decibels = await scoreOfFile(path, temporaryPath, { height: recipe.height })
  return { decibels, bytes: (await stat(temporaryPath)).size, path: temporaryPath }
}

describe('a look', () => {
  it.each(['h264', 'hevc', 'vp9', 'av1'] as const)('is what is wanted in %s', async (codec) => {
    const { decibels, path } = await withLook({ codec, look: 'high' })
    expect(Math.abs(decibels - decibelsOf('high'))).toBeLessThan(1)
    expect((await readClip(path)).codecs).toEqual([codec])
  })

  it('costs the fewer bytes the lower it is', async () => {
    const bytes: number[] = []
    for (const look of ['identical', 'high', 'medium', 'low'] as const)
      bytes.push((await withLook({ look, speed: 'veryfast' })).bytes)
    expect(bytes).toEqual(bytes.toSorted((one, other) => other - one))
    expect(new Set(bytes).size).toBe(4)
  })

  it('is measured at the size of the result', async () => {
    const { decibels } = await withLook({ height: 96, look: 75 })
    expect(Math.abs(decibels - decibelsOf(75))).toBeLessThan(1.5)
  })

  it.each(corpusFile('rotate-buck-bunny.mp4'))('holds for $file with every codec', async ({ path }) => {
    const found: number[] = []
    for (const codec of ['h264', 'av1'] as const)
      found.push((await withLook({ codec, look: 'high', height: 240, audio: 'none' }, path)).decibels)
    for (const decibels of found) expect(Math.abs(decibels - decibelsOf('high'))).toBeLessThan(1.5)
  })

  it('has four names on the measure of the numbers', () => {
    expect([decibelsOf('identical'), decibelsOf('high'), decibelsOf('medium'), decibelsOf('low')]).toEqual(
      [90, 80, 65, 45].map((number) => decibelsOf(number)),
    )
    expect(Look.safeParse(29).success).toBe(false)
    expect(Look.safeParse('best').success).toBe(false)
  })
})

describe('the search for a quality setting', () => {
  it.each([
    ['falls evenly', (crf: number) => 56 - 0.6 * crf],
    ['falls faster and faster', (crf: number) => 48 - 0.012 * crf * crf],
    ['hardly falls at first', (crf: number) => (crf < 30 ? 44 - 0.1 * crf : 41 - 1.2 * (crf - 30))],
  ])('ends near what is wanted where the score %s', async (_, scoreAt) => {
    let trials = 0
    const crf = await search('h264', 38.75, async (at) => {
      trials += 1
      return scoreAt(at)
    })
    expect(Math.abs(scoreAt(crf) - 38.75)).toBeLessThan(0.3)
    expect(trials).toBeLessThanOrEqual(6)
  })

  it('ends at the best the encoder has where nothing is good enough', async () => {
    expect(await search('vp9', 47.5, async () => 20)).toBe(1)
  })
})

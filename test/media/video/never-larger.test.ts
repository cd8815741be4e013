import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Clip, evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-larger-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let clips = 0

/** By a recipe that takes more bytes for a film than it has. */
async function made(recipe: Partial<VideoRecipe>, clip: Partial<Clip> = {}, neverLarger = true) {
  clips += 1
  const path = join(folder, `film-${clips}.mp4`)
  await makeClip(path, { width: 160, height: 90, times: evenTimes(12, 25), ...clip })
  const finished = await runJob(path, folder, { crf: 1, ...recipe }, { neverLarger })
  const [original, result] = await Promise.all([readFile(path), readFile(finished.temporaryPath)])
  return { ...finished, isOriginal: result.equals(original), grown: result.length - original.length }
}

describe('a film that its recipe would only make larger', () => {
  it('is the original as it was', async () => {
    const { isOriginal, notes, width, height, extension } = await made({})
    expect({ isOriginal, notes, width, height, extension }).toEqual({
      isOriginal: true,
      notes: ['original-kept'],
      width: 160,
      height: 90,
      extension: 'mp4',
    })
  })

  it('is larger where the recipe says that it may be', async () => {
    const { isOriginal, notes, grown } = await made({}, {}, false)
    expect({ isOriginal, notes }).toEqual({ isOriginal: false, notes: [] })
    expect(grown).toBeGreaterThan(0)
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['its sound', { audio: 'none' }],
    ['its tags', { metadata: 'strip' }],
    ['its container', { container: 'mkv' }],
  ])('keeps its pictures where it loses %s', async (_, recipe) => {
    const { isOriginal, notes, temporaryPath } = await made(recipe, { sound: 0.4, title: 'By Ada' })
    expect({ isOriginal, notes }).toEqual({ isOriginal: false, notes: ['pictures-copied'] })
    const read = await readClip(temporaryPath)
    expect(read.times).toHaveLength(12)
    expect(read.codecs).toEqual(recipe.audio === 'none' ? ['h264'] : ['h264', 'aac'])
    expect(read.title).toBe(recipe.metadata === 'strip' ? null : 'By Ada')
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['smaller', { height: 88 }],
    ['turned', { rotate: 90 }],
    ['another codec', { codec: 'hevc' }],
    ['fewer pictures', { fps: 20 }],
  ])('is made anew where it is to be %s', async (_, recipe) => {
    const { isOriginal, notes } = await made(recipe)
    expect({ isOriginal, notes }).toEqual({ isOriginal: false, notes: [] })
  })
})

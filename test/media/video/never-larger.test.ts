import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import type { Clip } from './make-clip.ts'
import { clip, resultOf, useClipFolder } from './run-job.ts'

useClipFolder()

/** Processes a video with a recipe whose output would be larger. */
async function made(recipe: Partial<VideoRecipe>, changes: Partial<Clip> = {}, neverLarger = true) {
  const path = await clip(changes)
  const finished = await resultOf(path, { crf: 1, ...recipe }, { neverLarger })
  const [original, result] = await Promise.all([readFile(path), readFile(finished.temporaryPath)])
  return { ...finished, isOriginal: result.equals(original), grown: result.length - original.length }
}

describe('a video that its recipe would only make larger', () => {
  it('is kept unchanged', async () => {
    const size = { width: 160, height: 90, extension: 'mp4' }
    expect(await made({})).toMatchObject({ isOriginal: true, notes: ['original-kept'], ...size })
  })

  it('becomes larger if the recipe allows that', async () => {
    const larger = await made({}, {}, false)
    expect(larger).toMatchObject({ isOriginal: false, notes: [] })
    expect(larger.grown).toBeGreaterThan(0)
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['its sound', { audio: 'none' }],
    ['its tags', { metadata: 'strip' }],
    ['its container', { container: 'mkv' }],
  ])('keeps its video track if it loses %s', async (_, recipe) => {
    const read = await made(recipe, { sound: 0.4, title: 'By Ada' })
    expect(read).toMatchObject({ isOriginal: false, notes: ['pictures-copied'] })
    expect(read.times).toHaveLength(12)
    expect(read.codecs).toEqual(recipe.audio === 'none' ? ['h264'] : ['h264', 'aac'])
    expect(read.title).toBe(recipe.metadata === 'strip' ? null : 'By Ada')
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['smaller dimensions', { height: 88 }],
    ['a rotation', { rotate: 90 }],
    ['another codec', { codec: 'hevc' }],
    ['fewer frames per second', { fps: 20 }],
  ])('is re-encoded if the recipe requests %s', async (_, recipe) => {
    expect(await made(recipe)).toMatchObject({ isOriginal: false, notes: [] })
  })
})

import { copyFile, readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import type { Clip } from './make-clip.ts'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import { taskNamed } from '../../../src/shared/preset/tasks.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder, videoJob } from './run-job.ts'
import { firstOf } from '../../faults/long-suite.ts'

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
    const m4v = await runJob(await clip({}, 'm4v'), { crf: 1 }, { neverLarger: true })
    expect(m4v).toMatchObject({ extension: 'm4v', notes: ['original-kept'] })
  })

  it('becomes larger if the recipe allows that', async () => {
    const larger = await made({}, {}, false)
    expect(larger).toMatchObject({ isOriginal: false, notes: [] })
    expect(larger.grown).toBeGreaterThan(0)
  })

  it.each<[string, Partial<VideoRecipe>]>(
    firstOf([
      ['its sound', { audio: 'none' }],
      ['its tags', { metadata: 'strip' }],
      ['its container', { container: 'mkv' }],
    ]),
  )('keeps its video track if it loses %s', async (_, recipe) => {
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

const always = (recipe: Partial<VideoRecipe> = {}) =>
  [{ crf: 0, container: 'same', codec: 'hevc', ...recipe }, { neverLarger: 'always' }] as const

describe('a video that must never become larger', () => {
  it.each<[NonNullable<Clip['codec']>, string]>(
    firstOf(
      [
        ['h264', 'mp4'],
        ['vp9', 'webm'],
        ['mpeg4', 'avi'],
        ['h264', 'ts'],
      ],
      2,
    ),
  )('is kept unchanged, whatever its codec and container: %s in %s', async (codec, extension) => {
    const path = await clip({ codec }, extension)
    // The API accepts some formats only under another extension.
    const alias = inClipFolder(`alias-${codec}.${extension === 'ts' ? 'mp4' : extension}`)
    await copyFile(path, alias)
    const kept = await runJob(alias, ...always())
    expect(kept).toMatchObject({ notes: ['original-kept'], extension, losses: [] })
    expect((await readFile(kept.temporaryPath)).equals(await readFile(path))).toBe(true)
  })

  it('is kept unchanged, whatever the codec of its audio', async () => {
    const path = await clip({ sound: 0.4, soundCodec: 'mp2', soundBlock: 1_152 }, 'mkv')
    const kept = await runJob(path, ...always({ container: 'mp4', audio: 'aac' }))
    expect(kept).toMatchObject({ notes: ['original-kept'], extension: 'mkv' })
    expect((await readFile(kept.temporaryPath)).equals(await readFile(path))).toBe(true)
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['a rotation', { rotate: 90 }],
    ['no sound', { audio: 'none' }],
    ['no metadata', { metadata: 'strip' }],
  ])('becomes larger if the recipe requests %s', async (_, recipe) => {
    expect((await runJob(await clip({ sound: 0.4 }), ...always(recipe))).notes).toEqual([])
  })

  it('is estimated with its size', async () => {
    const path = await clip()
    const estimate = await estimateVideo(videoJob(path, ...always()))
    expect(estimate).toMatchObject({ bytes: (await stat(path)).size, spread: 0 })
  })
})

it('the task “Make smaller” never makes a file larger', () => {
  expect(taskNamed('Make smaller')?.preset.results.neverLarger).toBe('always')
})

import { stat } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Clip, evenTimes, MARKED_CORNER } from './make-clip.ts'
import { clip, runJob, useClipFolder, videoJob } from './run-job.ts'

useClipFolder()

async function moving(changes: Partial<Clip> = {}, recipe: Partial<VideoRecipe> = {}) {
  const path = await clip({ height: 96, ...changes }, 'mkv')
  const made = await runJob(path, { codec: 'webp', container: 'webp', ...recipe })
  const { delay = [], ...metadata } = await sharp(made.temporaryPath, { animated: true }).metadata()
  const { data, info } = await sharp(made.temporaryPath)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (across: number, down: number) => {
    const pixel = (Math.floor(info.height * down) * info.width + Math.floor(info.width * across)) * 4
    return [...data.subarray(pixel, pixel + 4)]
  }
  return { ...made, ...metadata, notes: made.notes, delay, height: metadata.pageHeight, at }
}

describe('a video as an animated image', () => {
  it('has all frames with their durations, and loops forever', async () => {
    const made = await moving({ sound: 0.5 })
    expect([made.format, made.extension, made.pages, made.loop]).toEqual(['webp', 'webp', 12, 0])
    expect(made.delay).toEqual(Array.from({ length: 12 }, () => 40))
    expect([made.width, made.height]).toEqual([160, 96])
  })

  it('has the right colors, lossy and lossless', async () => {
    for (const crf of [0, 20]) {
      const { at } = await moving({ picture: MARKED_CORNER }, { crf })
      for (const [place, colour] of [
        [at(0.25, 0.25), [255, 255, 255]],
        [at(0.75, 0.25), [0, 0, 0]],
        [at(0.75, 0.75), [0, 0, 255]],
      ] as const)
        for (const [channel, value] of colour.entries())
          expect(Math.abs((place[channel] ?? 0) - value)).toBeLessThan(12)
    }
  })

  it('follows the recipe’s size, frame rate and rotation', async () => {
    const made = await moving({}, { height: 48, fps: 12.5, rotate: 90 })
    expect([made.width, made.height, made.pages]).toEqual([48, 80, 6])
    expect(made.delay.slice(0, -1)).toEqual([80, 80, 80, 80, 80])
  })

  it('gets smaller as the crf rises', async () => {
    const sizes: number[] = []
    for (const crf of [5, 30, 55])
      sizes.push((await sharp((await moving({}, { crf })).temporaryPath).metadata()).size ?? 0)
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  })

  it('keeps transparency', async () => {
    const made = await moving({
      codec: 'vp9',
      pixelFormat: 'yuva420p',
      picture: 'format=yuva420p,colorchannelmixer=aa=0.5',
    })
    expect(made.hasAlpha).toBe(true)
    expect(made.at(0.5, 0.5)[3]).toBeLessThan(200)
  })

  it.each([{}, { height: 54 }, { crf: 0 }])('is tone-mapped, and the job reports it: %o', async (recipe) => {
    const made = await moving({ transfer: 'pq', pixelFormat: 'yuv420p10le', width: 174 }, recipe)
    expect(made.notes).toEqual(['tone-mapped'])
    expect((made.width ?? 1) % 2).toBe(0)
  })

  it('has even dimensions for any video', async () => {
    for (const height of [96, 54, 33]) {
      const made = await moving({ width: 174 }, { height })
      expect([(made.width ?? 1) % 2, (made.height ?? 1) % 2]).toEqual([0, 0])
    }
  })

  it('has about the estimated size', async () => {
    const path = await clip({ height: 96, times: evenTimes(150, 25), sound: 6 }, 'mkv')
    const recipe = { codec: 'webp', container: 'webp' } as const
    const made = await stat((await runJob(path, recipe)).temporaryPath)
    const { bytes } = await estimateVideo(videoJob(path, recipe))
    expect(bytes / made.size).toBeGreaterThan(0.75)
    expect(bytes / made.size).toBeLessThan(1.33)
  })

  it('is limited to sixty seconds', async () => {
    const times = Array.from({ length: 63 }, (_, second) => second * 1000)
    await expect(moving({ times })).rejects.toThrow(
      'Only videos of up to 60 seconds can become animated images. This one is 62',
    )
  })
})

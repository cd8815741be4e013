/** GIFs and animated WebPs made from videos, decoded with sharp. */
import { readFile, stat } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import { previewVideo } from '../../../src/media/video/preview-video.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { type Clip, evenTimes, MARKED_CORNER } from './make-clip.ts'
import { clip, runJob, useClipFolder, videoJob } from './run-job.ts'

useClipFolder()

const GIF = { codec: 'gif', container: 'gif', crf: undefined } as const
const WEBP = { codec: 'webp', container: 'webp' } as const

async function moving(recipe: Partial<VideoRecipe>, changes: Partial<Clip> = {}) {
  const made = await runJob(await clip({ height: 96, ...changes }, 'mkv'), recipe)
  const { delay = [], ...metadata } = await sharp(made.temporaryPath, { animated: true }).metadata()
  const { data, info } = await sharp(made.temporaryPath)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const colors = new Set(Array.from({ length: data.length / 4 }, (_, at) => data.readUInt32LE(at * 4)))
  const at = (across: number, down: number) => {
    const pixel = (Math.floor(info.height * down) * info.width + Math.floor(info.width * across)) * 4
    return [...data.subarray(pixel, pixel + 4)]
  }
  return { ...made, ...metadata, notes: made.notes, delay, height: metadata.pageHeight, at, colors }
}

const expectMarkedColors = ({ at }: Awaited<ReturnType<typeof moving>>, tolerance: number): void => {
  for (const [place, color] of [
    [at(0.25, 0.25), [255, 255, 255]],
    [at(0.75, 0.25), [0, 0, 0]],
    [at(0.75, 0.75), [0, 0, 255]],
  ] as const)
    for (const [channel, value] of color.entries())
      expect(Math.abs((place[channel] ?? 0) - value)).toBeLessThan(tolerance)
}

describe.each([
  ['GIF', GIF],
  ['animated WebP', WEBP],
] as const)('a video as a %s', (_name, recipe) => {
  it('has all frames with their durations, and loops forever', async () => {
    const made = await moving(recipe, { sound: 0.5 })
    const { codec } = recipe
    expect([made.format, made.extension, made.pages, made.loop]).toEqual([codec, codec, 12, 0])
    expect(made.delay.slice(0, -1)).toEqual(Array.from({ length: 11 }, () => 40))
    if (codec === 'webp') expect(made.delay.at(-1)).toBe(40)
    expect([made.width, made.height]).toEqual([160, 96])
  })

  it('follows the recipe’s size, frame rate and rotation', async () => {
    const made = await moving({ ...recipe, height: 48, fps: 12.5, rotate: 90 })
    expect([made.width, made.height, made.pages]).toEqual([48, 80, 6])
    expect(made.delay.slice(0, -1)).toEqual([80, 80, 80, 80, 80])
  })

  itInLongSuite('has about the estimated size', async () => {
    const path = await clip({ height: 96, times: evenTimes(150, 25), sound: 6 }, 'mkv')
    const made = await stat((await runJob(path, recipe)).temporaryPath)
    const { bytes } = await estimateVideo(videoJob(path, recipe))
    const [least, most] = recipe.codec === 'gif' ? [0.6, 1.6] : [0.75, 1.33]
    expect(bytes / made.size).toBeGreaterThan(least)
    expect(bytes / made.size).toBeLessThan(most)
  })

  it('is limited to sixty seconds', async () => {
    const times = Array.from({ length: 63 }, (_, second) => second * 1000)
    await expect(moving(recipe, { times })).rejects.toThrow(
      'Only videos of up to 60 seconds can become animated images. This one is 62',
    )
  })
})

describe('a GIF', () => {
  it('has colors of the whole video, not only of its beginning', async () => {
    const late = 'colorchannelmixer=rr=0:gg=0:bb=0,drawbox=0:0:iw:ih:red:fill:enable=gte(n\\,8)'
    const { temporaryPath, pages = 1 } = await moving(GIF, { picture: late })
    const last = await sharp(temporaryPath, { page: pages - 1 })
      .ensureAlpha()
      .raw()
      .toBuffer()
    const [red = 0, green = 255, blue = 255] = last.subarray(0, 3)
    expect(red).toBeGreaterThan(235)
    expect(Math.max(green, blue)).toBeLessThan(25)
  })

  it('has at most 256 colors, which are close to the video’s', async () => {
    const made = await moving(GIF, { picture: MARKED_CORNER })
    expectMarkedColors(made, 16)
    expect(made.colors.size).toBeLessThanOrEqual(256)
  })

  it('has at most 30 frames per second, because browsers slow down very short frames', async () => {
    const made = await moving(GIF, { times: evenTimes(60, 60) })
    expect(made.pages).toBeLessThanOrEqual(31)
    expect(Math.min(...made.delay)).toBeGreaterThanOrEqual(20)
  })

  it('keeps transparency', async () => {
    const picture = 'format=yuva420p,colorchannelmixer=aa=0.2'
    const made = await moving(GIF, { codec: 'vp9', pixelFormat: 'yuva420p', picture })
    expect(made.at(0.5, 0.5)[3]).toBe(0)
  })

  it('is tone-mapped, and the job reports it', async () => {
    const { notes } = await moving(GIF, { transfer: 'pq', pixelFormat: 'yuv420p10le' })
    expect(notes).toEqual(['tone-mapped'])
  })

  itInLongSuite('can be previewed with its colors, next to the original with its own', async () => {
    const path = await clip({ height: 96, times: evenTimes(60, 50) }, 'mkv')
    const { video } = await previewVideo({ path, recipe: videoJob(path, GIF).recipe, start: 0 })
    expect(video.after?.pictures.length).toBeGreaterThan(10)
    expect(video.before.pictures.length).toBeGreaterThan(video.after?.pictures.length ?? Infinity)
    expect(video.before.bytes.length).not.toBe(video.after?.bytes.length)
  })

  itInLongSuite('stays small in memory: it is read twice instead of being buffered', async () => {
    const path = await clip({ width: 640, height: 480, times: evenTimes(300, 25) })
    const before = process.memoryUsage().rss
    const made = await runJob(path, GIF)
    expect((await readFile(made.temporaryPath)).subarray(0, 6).toString()).toBe('GIF89a')
    // All 300 frames in BGRA would take 369 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000)
  })

  itInLongSuite('stops midway', async () => {
    const stopping = new AbortController()
    const path = await clip({ width: 640, height: 480, times: evenTimes(200, 25) })
    const onProgress = () => stopping.abort(new Error('stopped'))
    await expect(runJob(path, GIF, { signal: stopping.signal, onProgress })).rejects.toThrow('stopped')
  })
})

describe('an animated WebP', () => {
  it('has the right colors, lossy and lossless', async () => {
    for (const crf of [0, 20])
      expectMarkedColors(await moving({ ...WEBP, crf }, { picture: MARKED_CORNER }), 12)
  })

  itInLongSuite('gets smaller as the crf rises', async () => {
    const sizes: number[] = []
    for (const crf of [5, 30, 55])
      sizes.push((await sharp((await moving({ ...WEBP, crf })).temporaryPath).metadata()).size ?? 0)
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  })

  it('keeps transparency', async () => {
    const picture = 'format=yuva420p,colorchannelmixer=aa=0.5'
    const made = await moving(WEBP, { codec: 'vp9', pixelFormat: 'yuva420p', picture })
    expect(made.hasAlpha).toBe(true)
    expect(made.at(0.5, 0.5)[3]).toBeLessThan(200)
  })

  it.each(firstOf([{}, { height: 54 }, { crf: 0 }]))(
    'is tone-mapped, and the job reports it: %o',
    async (recipe) => {
      const hdr = { transfer: 'pq', pixelFormat: 'yuv420p10le', width: 174 } as const
      const made = await moving({ ...WEBP, ...recipe }, hdr)
      expect(made.notes).toEqual(['tone-mapped'])
      expect((made.width ?? 1) % 2).toBe(0)
    },
  )

  itInLongSuite('has even dimensions for any video', async () => {
    for (const height of [96, 54, 33]) {
      const made = await moving({ ...WEBP, height }, { width: 174 })
      expect([(made.width ?? 1) % 2, (made.height ?? 1) % 2]).toEqual([0, 0])
    }
  })
})

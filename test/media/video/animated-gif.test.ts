/** GIFs made from videos, decoded with sharp. */
import { readFile, stat } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import { previewVideo } from '../../../src/media/video/preview-video.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { type Clip, evenTimes, MARKED_CORNER } from './make-clip.ts'
import { clip, runJob, useClipFolder, videoJob } from './run-job.ts'

useClipFolder()

const GIF = { codec: 'gif', container: 'gif', crf: undefined } as const

async function moving(changes: Partial<Clip> = {}, recipe: Partial<VideoRecipe> = {}) {
  const made = await runJob(await clip({ height: 96, ...changes }, 'mkv'), { ...GIF, ...recipe })
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

describe('a video as a GIF', () => {
  it('has all frames with their durations, and loops forever', async () => {
    const made = await moving({ sound: 0.5 })
    expect([made.format, made.extension, made.pages, made.loop]).toEqual(['gif', 'gif', 12, 0])
    expect(made.delay.slice(0, -1)).toEqual(Array.from({ length: 11 }, () => 40))
    expect([made.width, made.height]).toEqual([160, 96])
  })

  it('has colors of the whole video, not only of its beginning', async () => {
    const late = 'colorchannelmixer=rr=0:gg=0:bb=0,drawbox=0:0:iw:ih:red:fill:enable=gte(n\\,8)'
    const { temporaryPath, pages = 1 } = await moving({ picture: late })
    const last = await sharp(temporaryPath, { page: pages - 1 })
      .ensureAlpha()
      .raw()
      .toBuffer()
    const [red = 0, green = 255, blue = 255] = last.subarray(0, 3)
    expect(red).toBeGreaterThan(235)
    expect(Math.max(green, blue)).toBeLessThan(25)
  })

  it('has at most 256 colors, which are close to the video’s', async () => {
    const { at, colors } = await moving({ picture: MARKED_CORNER })
    for (const [place, color] of [
      [at(0.25, 0.25), [255, 255, 255]],
      [at(0.75, 0.25), [0, 0, 0]],
      [at(0.75, 0.75), [0, 0, 255]],
    ] as const)
      for (const [channel, value] of color.entries())
        expect(Math.abs((place[channel] ?? 0) - value)).toBeLessThan(16)
    expect(colors.size).toBeLessThanOrEqual(256)
  })

  it('follows the recipe’s size, frame rate and rotation', async () => {
    const made = await moving({}, { height: 48, fps: 12.5, rotate: 90 })
    expect([made.width, made.height, made.pages]).toEqual([48, 80, 6])
    expect(made.delay.slice(0, -1)).toEqual([80, 80, 80, 80, 80])
  })

  it('has at most 30 frames per second, because browsers slow down very short frames', async () => {
    const made = await moving({ times: evenTimes(60, 60) })
    expect(made.pages).toBeLessThanOrEqual(31)
    expect(Math.min(...made.delay)).toBeGreaterThanOrEqual(20)
  })

  it('keeps transparency', async () => {
    const made = await moving({
      codec: 'vp9',
      pixelFormat: 'yuva420p',
      picture: 'format=yuva420p,colorchannelmixer=aa=0.2',
    })
    expect(made.at(0.5, 0.5)[3]).toBe(0)
  })

  it('is tone-mapped, and the job reports it', async () => {
    expect((await moving({ transfer: 'pq', pixelFormat: 'yuv420p10le' })).notes).toEqual(['tone-mapped'])
  })

  it('has about the estimated size', async () => {
    const path = await clip({ height: 96, times: evenTimes(150, 25), sound: 6 }, 'mkv')
    const made = await stat((await runJob(path, GIF)).temporaryPath)
    const { bytes } = await estimateVideo(videoJob(path, GIF))
    expect(bytes / made.size).toBeGreaterThan(0.6)
    expect(bytes / made.size).toBeLessThan(1.6)
  })

  it('can be previewed with its colors, next to the original with its own', async () => {
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

  it('stops midway', async () => {
    const stopping = new AbortController()
    const path = await clip({ width: 640, height: 480, times: evenTimes(200, 25) })
    const onProgress = () => stopping.abort(new Error('stopped'))
    await expect(runJob(path, GIF, { signal: stopping.signal, onProgress })).rejects.toThrow('stopped')
  })

  it('is limited to sixty seconds', async () => {
    const times = Array.from({ length: 63 }, (_, second) => second * 1000)
    await expect(moving({ times })).rejects.toThrow(
      'Only videos of up to 60 seconds can become animated images.',
    )
  })
})

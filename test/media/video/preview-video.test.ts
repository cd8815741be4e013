import { writeFile } from 'node:fs/promises'
import { AV_CODEC_ID_VP9, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { CodecParameters } from 'node-av/lib'
import { beforeAll, describe, expect, it } from 'vitest'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { decodeSample } from '../../../src/media/video/decode-sample.ts'
import { compareVideos, previewVideo } from '../../../src/media/video/preview-video.ts'
import { createScoreMeter } from '../../../src/media/video/score.ts'
import type { VideoTrack } from '../../../src/shared/model/preview.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { evenTimes } from './make-clip.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { allPictures } from './score-file.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

const NOISY = 'noise=alls=12:allf=t,gblur=sigma=0.8'

useClipFolder()
let short = ''
let long = ''
beforeAll(async () => {
  const size = { width: 320, height: 180 }
  short = await clip({ ...size, times: evenTimes(60, 25), picture: NOISY }, 'mkv')
  // Static for six seconds, and noisy for the last three.
  const picture = `drawbox=0:0:iw:ih:gray:fill,noise=alls=60:allf=t:enable='gte(t,6)'`
  long = await clip({ ...size, times: evenTimes(225, 25), picture }, 'mkv')
})

const sampleOf = async (path: string, recipe: Partial<VideoRecipe>, start: number | null = null) =>
  previewVideo({ path, recipe: VideoRecipe.parse({ speed: 'ultrafast', ...recipe }), start })

/** PSNR in dB between the preview's frames and those of a file; 100 if they are identical. */
async function psnrOf(track: VideoTrack, path: string): Promise<number> {
  using sample = await allPictures(path)
  using meter = await createScoreMeter(sample.frames[0])
  using parameters = new CodecParameters()
  parameters.alloc()
  parameters.codecType = AVMEDIA_TYPE_VIDEO
  parameters.codecId = AV_CODEC_ID_VP9
  let begin = 0
  const packets = track.pictures.map(({ bytes }) => {
    const packet = newPacket()
    packet.data = Buffer.from(track.bytes.subarray(begin, begin + bytes))
    begin += bytes
    return packet
  })
  let count = 0
  await decodeSample({ packets, parameters }, (frame) => {
    const original = sample.frames[count]
    if (original !== undefined) meter.add(original.frame, frame)
    count += 1
  })
  expect(count).toBe(sample.frames.length)
  for (const packet of packets) packet.free()
  return meter.score()
}

describe('a sample of a video', () => {
  it.each(firstOf(['h264', 'hevc', 'vp9', 'av1'] as const))(
    'shows the same pixels as the job’s result in %s',
    async (codec) => {
      const recipe = { codec, crf: 45, container: 'mkv', speed: 'ultrafast' } as const
      const { video } = await sampleOf(short, recipe)
      if (video.after === null) throw new Error('The video was not encoded.')
      const { temporaryPath } = await runJob(short, recipe)
      const [toResult, toOriginal] = [
        await psnrOf(video.after, temporaryPath),
        await psnrOf(video.after, short),
      ]
      expect(toResult).toBe(100)
      expect(toOriginal).toBeLessThan(45)
      expect(await psnrOf(video.before, short)).toBe(100)
    },
  )

  itInLongSuite.each([
    [0, true],
    [55, false],
  ])('of an animated image with a crf of %i has its frames, each at its time', async (crf, isSame) => {
    const { video } = await sampleOf(short, { codec: 'webp', container: 'webp', height: 90, crf })
    const { before, after } = video
    expect(after?.pictures.map(({ seconds }) => seconds)).toEqual(
      before.pictures.map(({ seconds }) => seconds),
    )
    expect(after?.colors).toBe('bt709')
    expect(Buffer.from(after?.bytes ?? []).equals(before.bytes)).toBe(isSame)
  })

  it.each([
    ['pq', true],
    [undefined, false],
  ] as const)('reports whether the video is HDR: %s', async (transfer, isHdr) => {
    const path = await clip({ height: 96, pixelFormat: 'yuv420p10le', ...(transfer && { transfer }) }, 'mkv')
    expect((await sampleOf(path, { crf: 45 })).video.isHdr).toBe(isHdr)
  })

  it('starts where there is the most motion', async () => {
    const { video } = await sampleOf(long, { crf: 30, height: 90 })
    expect(video.start).toBeGreaterThanOrEqual(5.9)
    expect(video.seconds).toBeCloseTo(2.5, 0)
    expect(video.videoSeconds).toBeCloseTo(9, 1)
  })

  itInLongSuite('starts where the user chooses', async () => {
    expect((await sampleOf(long, { crf: 30, height: 90 }, 1)).video.start).toBe(1)
  })

  it('shows the original with its own timing and colors, at the size of the result', async () => {
    const { video } = await sampleOf(short, { crf: 30, fps: 5, grayscale: true, height: 90 })
    expect(video.extent).toEqual({ width: 160, height: 90 })
    expect(video.original).toEqual({ width: 320, height: 180 })
    expect([video.before.width, video.before.height]).toEqual([160, 90])
    expect(video.before.pictures).toHaveLength(60)
    expect(video.after?.pictures).toHaveLength(12)
    for (const { pictures } of [video.before, video.after ?? video.before])
      expect(pictures.at(-1)?.seconds).toBeCloseTo(2.3, 0)
  })

  itInLongSuite('uses the quality that a target resolves to', async () => {
    const crfs: (number | undefined)[] = []
    for (const goal of [{ look: 'identical' }, { look: 'low' }, { maxBytes: 60_000 }] as const)
      crfs.push((await sampleOf(short, { ...goal, speed: 'ultrafast' })).recipe.crf)
    const [fine = 0, coarse = 0, small = 0] = crfs
    expect(fine).toBeLessThan(coarse)
    expect(small).toBeGreaterThan(fine)
  })

  itInLongSuite('reports that frames are copied', async () => {
    expect((await sampleOf(short, { codec: 'copy', container: 'mkv' })).video.after).toBeNull()
  })

  it('explains what is wrong with a file', async () => {
    const words = inClipFolder('words.mp4')
    await writeFile(words, 'only words')
    await expect(sampleOf(words, {})).rejects.toThrow('This file isn’t a video, despite its name.')
  })
})

describe('a comparison of a video with its result', () => {
  it('shows both at the same moment, at the size of the result', async () => {
    const { temporaryPath } = await runJob(long, { height: 90, container: 'mkv', crop: { aspect: 1 } })
    const video = await compareVideos({ path: long, result: temporaryPath, start: null })
    expect(video.extent).toEqual({ width: 90, height: 90 })
    expect([video.before.width, video.before.height]).toEqual([90, 90])
    expect(video.original).toEqual({ width: 320, height: 180 })
    expect(video.after?.pictures).toHaveLength(video.before.pictures.length)
    expect(video.after?.pictures[0]?.seconds).toBeCloseTo(0, 2)
  })
})

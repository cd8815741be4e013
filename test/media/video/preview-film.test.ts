import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AV_CODEC_ID_VP9, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { CodecParameters, Packet } from 'node-av/lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeSample } from '../../../src/media/video/decode-sample.ts'
import { compareFilms, previewFilm } from '../../../src/media/video/preview-film.ts'
import { takeSample } from '../../../src/media/video/sample.ts'
import { createScoreMeter } from '../../../src/media/video/score.ts'
import type { FilmTrack } from '../../../src/shared/model/preview.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { evenTimes, makeClip } from './make-clip.ts'
import { runJob } from './run-job.ts'

const NOISY = 'noise=alls=12:allf=t,gblur=sigma=0.8'

let folder = ''
let short = ''
let long = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-preview-film-'))
  short = join(folder, 'short.mkv')
  long = join(folder, 'long.mkv')
  await makeClip(short, { width: 320, height: 180, times: evenTimes(60, 25), picture: NOISY })
  // Still for six seconds, and restless for the last three.
  const picture = `drawbox=0:0:iw:ih:gray:fill,noise=alls=60:allf=t:enable='gte(t,6)'`
  await makeClip(long, { width: 320, height: 180, times: evenTimes(225, 25), picture })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const sampleOf = async (path: string, recipe: Partial<VideoRecipe>, start: number | null = null) =>
  previewFilm({ path, recipe: VideoRecipe.parse({ speed: 'ultrafast', ...recipe }), start })

/** In dB, of what the window gets against the pictures of a file; 100 where they are the same. */
async function likeness(track: FilmTrack, path: string): Promise<number> {
  const { signal } = new AbortController()
  const job = { inputPath: path, recipe: VideoRecipe.parse({}), variation: undefined, signal }
  const sample = await takeSample(job, 'h264', { start: 0, pictures: 1_000 })
  const { pictures } = sample
  const meter = await createScoreMeter(pictures[0])
  const parameters = new CodecParameters()
  parameters.alloc()
  parameters.codecType = AVMEDIA_TYPE_VIDEO
  parameters.codecId = AV_CODEC_ID_VP9
  let begin = 0
  const packets = track.pictures.map(({ bytes }) => {
    const packet = new Packet()
    packet.alloc()
    packet.data = Buffer.from(track.bytes.subarray(begin, begin + bytes))
    begin += bytes
    return packet
  })
  let count = 0
  try {
    await decodeSample({ packets, parameters }, (frame) => {
      const original = pictures[count]
      if (original !== undefined) meter.add(original.frame, frame)
      count += 1
    })
    expect(count).toBe(pictures.length)
    return meter.score()
  } finally {
    for (const packet of packets) packet.free()
    parameters.free()
    meter.free()
    sample.free()
  }
}

describe('a sample of a film', () => {
  it.each(['h264', 'hevc', 'vp9', 'av1'] as const)(
    'shows each pixel of what a job makes of it in %s',
    async (codec) => {
      const recipe = { codec, crf: 45, container: 'mkv', speed: 'ultrafast' } as const
      const { film } = await sampleOf(short, recipe)
      if (film.after === null) throw new Error('The film was not encoded.')
      const { temporaryPath } = await runJob(short, folder, recipe)
      const [toResult, toOriginal] = [
        await likeness(film.after, temporaryPath),
        await likeness(film.after, short),
      ]
      expect(toResult).toBe(100)
      expect(toOriginal).toBeLessThan(45)
      expect(await likeness(film.before, short)).toBe(100)
    },
  )

  it.each([
    [0, true],
    [55, false],
  ])('of a moving picture with a crf of %i is its pictures, each at its time', async (crf, isSame) => {
    const { film } = await sampleOf(short, { codec: 'webp', container: 'webp', height: 90, crf })
    const { before, after } = film
    expect(after?.pictures.map(({ seconds }) => seconds)).toEqual(
      before.pictures.map(({ seconds }) => seconds),
    )
    expect(after?.colours).toBe('bt709')
    expect(Buffer.from(after?.bytes ?? []).equals(before.bytes)).toBe(isSame)
  })

  it.each([
    ['pq', true],
    [undefined, false],
  ] as const)('says whether the film has a high dynamic range: %s', async (transfer, isHdr) => {
    const path = join(folder, `light-${transfer}.mkv`)
    const size = { width: 160, height: 96, times: evenTimes(8, 25) }
    await makeClip(path, { ...size, pixelFormat: 'yuv420p10le', ...(transfer && { transfer }) })
    expect((await sampleOf(path, { crf: 45 })).film.isHdr).toBe(isHdr)
  })

  it('is taken where most moves, or where a person wants it', async () => {
    const { film } = await sampleOf(long, { crf: 30 })
    expect(film.start).toBeGreaterThanOrEqual(5.9)
    expect(film.seconds).toBeCloseTo(2.5, 0)
    expect(film.filmSeconds).toBeCloseTo(9, 1)
    expect((await sampleOf(long, { crf: 30 }, 1)).film.start).toBe(1)
  })

  it('keeps the original at its own pace and in its own colours, and in the size of the result', async () => {
    const { film } = await sampleOf(short, { crf: 30, fps: 5, grayscale: true, height: 90 })
    expect(film.extent).toEqual({ width: 160, height: 90 })
    expect(film.original).toEqual({ width: 320, height: 180 })
    expect([film.before.width, film.before.height]).toEqual([160, 90])
    expect(film.before.pictures).toHaveLength(60)
    expect(film.after?.pictures).toHaveLength(12)
    for (const { pictures } of [film.before, film.after ?? film.before])
      expect(pictures.at(-1)?.seconds).toBeCloseTo(2.3, 0)
  })

  it('is made with the quality that a goal comes to', async () => {
    const crfs: (number | undefined)[] = []
    for (const goal of [{ look: 'identical' }, { look: 'low' }, { maxBytes: 60_000 }] as const)
      crfs.push((await sampleOf(short, goal)).recipe.crf)
    const [fine = 0, coarse = 0, small = 0] = crfs
    expect(fine).toBeLessThan(coarse)
    expect(small).toBeGreaterThan(fine)
  })

  it('says that pictures stay as they are', async () => {
    expect((await sampleOf(short, { codec: 'copy', container: 'mkv' })).film.after).toBeNull()
  })

  it('says what is wrong with a file', async () => {
    const words = join(folder, 'words.mp4')
    await writeFile(words, 'only words')
    await expect(sampleOf(words, {})).rejects.toThrow('This is not a video, whatever its name says.')
  })
})

describe('a film beside its result', () => {
  it('shows both from the same moment, in the size of the result', async () => {
    const { temporaryPath } = await runJob(long, folder, {
      height: 90,
      container: 'mkv',
      crop: { aspect: 1 },
    })
    const film = await compareFilms({ path: long, result: temporaryPath, start: null })
    expect(film.extent).toEqual({ width: 90, height: 90 })
    expect([film.before.width, film.before.height]).toEqual([90, 90])
    expect(film.original).toEqual({ width: 320, height: 180 })
    expect(film.after?.pictures).toHaveLength(film.before.pictures.length)
    expect(film.after?.pictures[0]?.seconds).toBeCloseTo(0, 2)
  })
})

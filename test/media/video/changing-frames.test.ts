import { AV_PIX_FMT_YUV420P } from 'node-av/constants'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { frameOfPixels } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { createFilterChain, sourceOf } from '../../../src/media/ffmpeg/filter-chain.ts'
import { softwareEncoder } from '../../../src/media/video/video-codecs.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { joinClips } from './join-clips.ts'
import { type Clip, evenTimes, MARKED_CORNER } from './make-clip.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder } from './run-job.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

let joins = 0

/** Creates a video of half a second for each change, with the marked corner. */
async function joined(...changes: readonly Partial<Clip>[]): Promise<string> {
  const path = inClipFolder(`joined-${++joins}.webm`)
  const parts: string[] = []
  for (const change of changes)
    parts.push(
      await clip({ codec: 'vp9', picture: MARKED_CORNER, times: evenTimes(12, 24), ...change }, 'webm'),
    )
  await joinClips(parts, path, (index) => index / 2)
  return path
}

const blankFrame = (width: number, height: number) =>
  frameOfPixels(Buffer.alloc((width * height * 3) / 2), { width, height }, AV_PIX_FMT_YUV420P)

describe('a video whose frames change their dimensions', () => {
  const SMALL = { width: 80, height: 46 }
  const LARGE = { width: 320, height: 180 }
  const UPRIGHT = { width: 90, height: 160 }

  it.each<[string, readonly Partial<Clip>[], Partial<VideoRecipe>]>(
    firstOf([
      ['shrink', [{}, SMALL], {}],
      ['grow', [{}, LARGE], {}],
      ['change twice', [{}, LARGE, SMALL], { codec: 'hevc' }],
      ['turn upright', [{}, UPRIGHT], { codec: 'av1' }],
      ['shrink below the preset’s limit', [LARGE, SMALL], { height: 90 }],
      ['grow without losses', [{}, LARGE], { crf: 0 }],
      ['grow, with transparency', [{}, LARGE], { codec: 'vp9', container: 'webm' }],
    ]),
  )('keeps the first ones if they %s', async (_, changes, recipe) => {
    const made = await resultOf(await joined(...changes), recipe)
    expect([made.width, made.height, made.times.length]).toEqual([160, 90, 12 * changes.length])
  })

  it('shows the whole frame in all parts', async () => {
    const made = await resultOf(await joined({}, LARGE))
    expect(made.lastQuarters.map((luma) => luma > 160)).toEqual([true, false, false, false])
  })

  itInLongSuite('adds bars instead of distorting', async () => {
    const made = await resultOf(await joined({}, { ...UPRIGHT, picture: 'drawbox=0:0:iw:ih:white:fill' }))
    // The upright frame is 50 pixels wide, so no quarter's center shows it.
    expect(made.lastQuarters.every((luma) => luma < 24)).toBe(true)
  })

  itInLongSuite.each(['gif', 'webp'] as const)('becomes an animation of one size: %s', async (codec) => {
    const path = await joined({}, LARGE, SMALL)
    const { width, height } = await runJob(path, { codec, container: codec })
    expect([width, height]).toEqual([160, 90])
  })
})

describe('a frame of other dimensions', () => {
  it('never reaches an encoder', async () => {
    using first = blankFrame(64, 64)
    using other = blankFrame(32, 32)
    const settings = {
      encoder: 'libx264',
      options: {},
      bitrate: undefined,
      lossless: false,
      leastSide: 2,
    } as const
    using encoder = await softwareEncoder(settings)(
      { frame: first, timeBase: { num: 1, den: 25 } },
      { num: 25, den: 1 },
    )
    await expect(encoder.send(other)).rejects.toThrow('32 × 32 pixels instead of 64 × 64')
  })

  it('never reaches a filter', async () => {
    using first = blankFrame(64, 64)
    using other = blankFrame(32, 32)
    using chain = await createFilterChain(sourceOf(first), 'hflip')
    await expect(chain.put(other)).rejects.toThrow('32 × 32 pixels instead of 64 × 64')
  })
})

describe('a video that doesn’t specify its colors', () => {
  const HD_LIME = { width: 1280, height: 720, times: [0, 40], picture: 'drawbox=0:0:iw:ih:lime:fill' }
  const BT709 = 1
  const SMPTE170M = 6

  it('is tagged by the dimensions of the original', async () => {
    const large = await resultOf(await clip(HD_LIME), { height: 90 })
    expect(large.colors).toEqual([BT709, BT709])
    expect((await resultOf(await clip())).colors[1]).toBe(SMPTE170M)
  })

  it.each(firstOf(['gif', 'webp'] as const))('has the colors that players show: %s', async (codec) => {
    const { temporaryPath } = await runJob(await clip(HD_LIME), {
      codec,
      container: codec,
      height: 90,
      crf: 0,
    })
    const { channels } = await sharp(temporaryPath).removeAlpha().stats()
    const [red = 255, green = 255, blue = 255] = channels.map(({ mean }) => mean)
    // The filter draws lime as SD video does. With the colors of HD, that is a darker green.
    expect(Math.abs(green - 216)).toBeLessThan(5)
    expect(Math.max(red, blue)).toBeLessThan(5)
  })
})

describeInLongSuite('an encoder’s limits', () => {
  it('don’t cost AV1 a frame at 250 frames per second, or a crash at one in two seconds', async () => {
    const fast = await clip({ times: evenTimes(30, 250), isPredicted: true }, 'mkv')
    const slow = await clip({ times: [0, 2000, 4000] }, 'mkv')
    for (const [path, frames] of [
      [fast, 30],
      [slow, 3],
    ] as const) {
      for (const quality of [{}, { bitrate: 100_000 }])
        expect((await resultOf(path, { codec: 'av1', ...quality })).times).toHaveLength(frames)
    }
  })

  it('change a bit rate that it doesn’t support, and the history reports it', async () => {
    const path = await clip({ sound: 0.5 })
    const notes = async (recipe: Partial<VideoRecipe>) => (await runJob(path, recipe)).notes
    expect(await notes({ codec: 'av1', bitrate: 400_000_000 })).toEqual(['bit-rate-adapted'])
    expect(await notes({ audio: 'opus', audioBitrate: 1_000_000 })).toEqual(['bit-rate-adapted'])
    expect(await notes({ audio: 'opus' })).toEqual([])
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type PictureFacts, pictureFilters } from '../../../src/media/video/picture-filters.ts'
import { NO_TURN } from '../../../src/media/video/picture-geometry.ts'
import { evenTimes, makeClip, MARKED_CORNER } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

const FACTS: PictureFacts = {
  width: 1280,
  height: 720,
  pixelAspect: 1,
  pixelFormat: 'yuv420p',
  turn: NO_TURN,
  fullRange: false,
  usualMatrix: true,
  interlaced: false,
  highDynamicRange: undefined,
}

function filtersFor(changes: Partial<PictureFacts>, recipe: Partial<VideoRecipe> = { height: 360 }): string {
  return pictureFilters({ ...FACTS, ...changes }, VideoRecipe.parse(recipe), undefined, {
    keepAlpha: false,
    bitDepth: 8,
    keepHdr: false,
    lossless: false,
    leastSide: 2,
    losslessFormats: [],
  })
}

describe('the scaler', () => {
  it('is zscale where nothing but the size changes', () => {
    expect(filtersFor({})).toMatch(/^zscale=640:360:/)
    expect(filtersFor({ pixelFormat: 'yuv422p10le' })).toMatch(/^zscale=640:360:/)
  })

  it.each([
    ['full range', { fullRange: true }],
    ['RGB', { pixelFormat: 'gbrp' }],
    ['transparency', { pixelFormat: 'yuva420p' }],
    ['an odd side', { width: 1281 }],
    ['an unusual matrix', { usualMatrix: false }],
  ])('is swscale for pictures with %s', (_, changes) => {
    expect(filtersFor(changes)).toMatch(/(^|,)scale=64\d:360:/)
    expect(filtersFor(changes)).not.toContain('zscale')
  })

  it('stays out where the size is right', () => {
    expect(filtersFor({}, { height: 720 })).not.toContain('scale=')
  })
})

describe('a scaled picture', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mediatray-filters-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(['yuv420p', 'yuv422p', 'yuv444p', 'yuv420p10le'])(
    'of %s keeps its brightness',
    async (pixelFormat) => {
      const path = join(folder, `${pixelFormat}.mp4`)
      await makeClip(path, {
        width: 320,
        height: 180,
        times: evenTimes(3, 25),
        pixelFormat,
        picture: MARKED_CORNER,
      })
      const finished = await runJob(path, folder, { height: 90, crf: 4 })
      const { width, height, quarters } = await readClip(finished.temporaryPath)
      expect([width, height]).toEqual([160, 90])
      for (const [index, luma] of [235, 16, 16, 41].entries()) {
        expect(Math.abs((quarters[index] ?? 0) - luma)).toBeLessThanOrEqual(2)
      }
    },
  )
})

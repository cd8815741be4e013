import { describe, expect, it } from 'vitest'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { FOR_DISPLAY, type FrameFacts, videoFilters } from '../../../src/media/video/video-filters.ts'
import { NO_ROTATION } from '../../../src/media/video/video-geometry.ts'
import { MARKED_CORNER } from './make-clip.ts'
import { clip, resultOf, useClipFolder } from './run-job.ts'
import { firstOf } from '../../faults/long-suite.ts'

const FACTS: FrameFacts = {
  width: 1280,
  height: 720,
  shown: undefined,
  pixelAspect: 1,
  pixelFormat: 'yuv420p',
  rotation: NO_ROTATION,
  fullRange: false,
  isCommonMatrix: true,
  interlaced: false,
  highDynamicRange: undefined,
}

function filtersFor(changes: Partial<FrameFacts>, recipe: Partial<VideoRecipe> = { height: 360 }): string {
  return videoFilters({ ...FACTS, ...changes }, VideoRecipe.parse(recipe), undefined, FOR_DISPLAY)
}

describe('the scaler', () => {
  it('is zscale if only the size changes', () => {
    expect(filtersFor({})).toMatch(/^zscale=640:360:/)
    expect(filtersFor({ pixelFormat: 'yuv422p10le' })).toMatch(/^zscale=640:360:/)
  })

  it.each([
    ['full range', { fullRange: true }],
    ['RGB', { pixelFormat: 'gbrp' }],
    ['transparency', { pixelFormat: 'yuva420p' }],
    ['an odd side', { width: 1281 }],
    ['an unusual matrix', { isCommonMatrix: false }],
  ])('is swscale for frames with %s', (_, changes) => {
    expect(filtersFor(changes)).toMatch(/(^|,)scale=64\d:360:/)
    expect(filtersFor(changes)).not.toContain('zscale')
  })

  it('is omitted if the size is right', () => {
    expect(filtersFor({}, { height: 720 })).not.toContain('scale=')
  })
})

describe('a scaled frame', () => {
  useClipFolder()

  it.each(firstOf(['yuv420p', 'yuv422p', 'yuv444p', 'yuv420p10le'], 2))(
    'of %s keeps its brightness',
    async (pixelFormat) => {
      const path = await clip({ width: 320, height: 180, pixelFormat, picture: MARKED_CORNER })
      const { width, height, quarters } = await resultOf(path, { height: 90, crf: 4 })
      expect([width, height]).toEqual([160, 90])
      for (const [index, luma] of [235, 16, 16, 41].entries()) {
        expect(Math.abs((quarters[index] ?? 0) - luma)).toBeLessThanOrEqual(2)
      }
    },
  )
})

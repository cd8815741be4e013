import { expect, it } from 'vitest'
import {
  hardwareCodecOf,
  mostVideosAtOnce,
  shareOfVideoTime,
  videosAtOnce,
} from '../../src/shared/video-cores.ts'
import { VideoRecipe } from '../../src/shared/preset/preset.ts'

const UHD = 3840 * 2160
const FULL_HD = 1920 * 1080
const SD = 720 * 576

it.each([
  [1, FULL_HD, {}, 1],
  [2, SD, {}, 1],
  [2, FULL_HD, { codec: 'copy' }, 1],
  [4, FULL_HD, {}, 1],
  [8, FULL_HD, {}, 2],
  [16, FULL_HD, {}, 4],
  [16, undefined, {}, 4],
  [16, UHD, { codec: 'hevc' }, 2],
  [16, SD, {}, 8],
  [16, UHD, { codec: 'copy' }, 8],
  [16, FULL_HD, { codec: 'gif' }, 8],
  [16, FULL_HD, { engine: 'hardware' }, 1],
  [16, FULL_HD, { engine: 'hardware', maxBytes: 1_000_000 }, 4],
  [16, FULL_HD, { engine: 'hardware', crf: 0 }, 4],
  [16, FULL_HD, { engine: 'hardware', codec: 'vp9' }, 4],
  [16, FULL_HD, { engine: 'hardware', codec: 'copy' }, 8],
  [3, SD, {}, 1],
  [5, FULL_HD, {}, 1],
  [6, FULL_HD, {}, 2],
  [7, SD, {}, 3],
  [12, UHD, {}, 2],
  [15, UHD, {}, 2],
  [31, FULL_HD, {}, 8],
])(
  'on %d cores, of videos with %s pixels and %j as many are processed in parallel: %d',
  (cores, pixels, recipe, most) => {
    expect(videosAtOnce(cores, VideoRecipe.parse(recipe), pixels)).toBe(most)
    expect(most).toBeLessThanOrEqual(mostVideosAtOnce(cores))
  },
)

it.each([
  [16, 1, 1],
  [1, 4, 1],
  [2, 2, 0.84],
  [2, 4, 0.84],
  [16, 4, 0.71],
])(
  'of %d videos, %d of which are processed in parallel, the time is this fraction of that one after another: %d',
  (videos, atOnce, share) => {
    expect(shareOfVideoTime(videos, atOnce)).toBeCloseTo(share)
  },
)

it.each<Partial<VideoRecipe>>([
  { engine: 'software' },
  { codec: 'vp9' },
  { codec: 'copy' },
  { crf: 0 },
  { maxBytes: 100_000 },
])('no hardware encoder encodes %o', (recipe) => {
  expect(hardwareCodecOf(VideoRecipe.parse(recipe))).toBeUndefined()
})

it('hardware encoders may encode three codecs', () => {
  for (const codec of ['h264', 'hevc', 'av1'] as const)
    expect(hardwareCodecOf(VideoRecipe.parse({ codec, crf: 30 }))).toBe(codec)
})

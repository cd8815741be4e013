import { expect, it } from 'vitest'
import { predictMemory } from '../../../src/service/processing/predict-memory.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'

const MIB = 2 ** 20
const predicted = (width: number, height: number, recipe: object, format?: string): number =>
  predictMemory({ width, height, format }, { kind: 'image', image: ImageRecipe.parse(recipe) }, 1) / MIB

const SMALLER = { size: { width: 2048, height: 2048 } }

/** The highest resident sizes that `bench/peak-memory.ts` measured, in MiB. */
it.each([
  [4_000, 3_000, { format: 'jpeg', ...SMALLER }, 173],
  [8_000, 6_000, { format: 'jpeg', ...SMALLER }, 236],
  [16_320, 12_288, { format: 'jpeg', ...SMALLER }, 473],
  [16_320, 12_288, { format: 'jpeg', look: 80, ...SMALLER }, 340],
  [4_000, 3_000, { format: 'jpeg' }, 207],
  [6_000, 4_000, { format: 'jpeg', rotate: 90 }, 602],
  [8_000, 6_000, { format: 'jpeg' }, 449],
  [8_000, 6_000, { format: 'jpeg', look: 80 }, 824],
  [16_320, 12_288, { format: 'jpeg', rotate: 90 }, 1_940],
  [8_000, 6_000, { format: 'webp' }, 807],
  [4_000, 3_000, { format: 'avif' }, 486],
  [8_000, 6_000, { format: 'png' }, 236],
  [16_320, 12_288, { format: 'tiff' }, 235],
])(
  '%d × %d with %j needs no more than predicted, and at least a fifth of that',
  (width, height, recipe, most) => {
    expect(predicted(width, height, recipe)).toBeGreaterThan(most)
    expect(predicted(width, height, recipe)).toBeLessThan(most * 5)
  },
)

it.each([
  [4_000, 3_000, 'avif', 352],
  [4_000, 3_000, 'jxl', 374],
  [4_000, 3_000, 'heic', 240],
  [8_000, 6_000, 'gif', 467],
  [8_000, 6_000, 'bmp', 718],
])(
  '%d × %d of a format that is decoded as a whole (%s) needs no more than predicted',
  (width, height, format, most) => {
    expect(predicted(width, height, SMALLER, format)).toBeGreaterThan(most)
    expect(predicted(width, height, SMALLER, format)).toBeLessThan(most * 1.5)
  },
)

it('is that of the whole box if the result fills one', () => {
  const box = { width: 4_000, height: 4_000 }
  const inside = predicted(4_000, 400, { size: { ...box, fit: 'inside' } })
  expect(predicted(4_000, 400, { size: { ...box, fit: 'contain' } }) - inside).toBeGreaterThan(100)
})

it('is that of a smaller result, and of unknown dimensions that of a worker alone', () => {
  expect(predicted(8_000, 6_000, { size: { width: 400 } })).toBeLessThan(predicted(8_000, 6_000, {}))
  const unknown = { width: null, height: null, format: undefined }
  expect(predictMemory(unknown, { kind: 'image', image: ImageRecipe.parse({}) }, 1)).toBe(160 * MIB)
})

it.each([
  [1_280, 720, 2, { codec: 'h264' }, 277],
  [1_280, 720, 16, { codec: 'h264', speed: 'medium' }, 634],
  [1_280, 720, 16, { codec: 'av1' }, 611],
  [1_920, 1_080, 2, { codec: 'h264' }, 425],
  [1_920, 1_080, 2, { codec: 'h264', look: 90 }, 681],
  [1_920, 1_080, 4, { codec: 'h264' }, 498],
  [1_920, 1_080, 2, { codec: 'h264', speed: 'slow' }, 699],
  [1_920, 1_080, 2, { codec: 'hevc', speed: 'medium' }, 593],
  [1_920, 1_080, 16, { codec: 'vp9' }, 653],
  [3_840, 2_160, 2, { codec: 'h264', height: 1_080 }, 654],
  [3_840, 2_160, 16, { codec: 'h264', height: 1_080 }, 1_588],
  [3_840, 2_160, 4, { codec: 'h264' }, 1_362],
  [3_840, 2_160, 16, { codec: 'h264', speed: 'medium' }, 3_697],
  [3_840, 2_160, 16, { codec: 'hevc' }, 2_190],
  [3_840, 2_160, 16, { codec: 'av1' }, 3_479],
])(
  'a video of %d × %d on %d cores with %j needs no more than predicted, and at least half of that',
  (width, height, cores, recipe, most) => {
    const video = { kind: 'video', video: VideoRecipe.parse(recipe) } as const
    expect(predictMemory({ width, height, format: 'mp4' }, video, cores) / MIB).toBeGreaterThan(most)
    expect(predictMemory({ width, height, format: 'mp4' }, video, cores) / MIB).toBeLessThan(most * 2)
  },
)

const predictedVideo = (width: number | null, height: number | null, codec: string): number =>
  predictMemory(
    { width, height, format: undefined },
    { kind: 'video', video: VideoRecipe.parse({ codec }) },
    4,
  )

it('of a video is that of 1080p if its dimensions are unknown, and little for a copy', () => {
  expect(predictedVideo(null, null, 'h264')).toBe(predictedVideo(1_920, 1_080, 'h264'))
  expect(predictedVideo(3_840, 2_160, 'copy')).toBeLessThan(250 * MIB)
})

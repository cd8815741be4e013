import { expect, it } from 'vitest'
import { USUAL_CODING } from '../../../src/node/media-header/photo-coding.ts'
import {
  memoryOfTrial,
  type OriginalFacts,
  predictMemory,
} from '../../../src/service/processing/predict-memory.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'

const MIB = 2 ** 20
const FACTS = { ...USUAL_CODING, format: 'jpg', bytes: 0 }
const predicted = (
  width: number,
  height: number,
  recipe: object,
  facts: Partial<OriginalFacts> = {},
): number =>
  predictMemory(
    { ...FACTS, width, height, ...facts },
    { kind: 'image', image: ImageRecipe.parse(recipe) },
    1,
  ) / MIB

const SMALLER = { format: 'jpeg', size: { width: 2048, height: 2048 } }

/** The highest resident sizes that `bench/peak-memory.ts` measured, in MiB. */
it.each([
  [4_000, 3_000, SMALLER, 173],
  [8_000, 6_000, SMALLER, 236],
  [16_320, 12_288, SMALLER, 473],
  [16_320, 12_288, { look: 80, ...SMALLER }, 340],
  [4_000, 3_000, { format: 'jpeg' }, 207],
  [6_000, 4_000, { format: 'jpeg', rotate: 90 }, 602],
  [8_000, 6_000, { format: 'jpeg' }, 449],
  [8_000, 6_000, { format: 'jpeg', look: 80 }, 824],
  [16_320, 12_288, { format: 'jpeg', rotate: 90 }, 1_940],
  [8_000, 6_000, { format: 'webp' }, 807],
  [8_000, 6_000, { format: 'webp', lossless: true }, 1_506],
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

const DEEP = { pixelBytes: 6, isDeep: true }
const PNG_16 = { format: 'png', bytes: 76_100_000, ...DEEP }
const PNG_16_PROFILE = { ...PNG_16, hasProfile: true }
const PNG_HDR = { ...PNG_16_PROFILE, bytes: 23_400_000, isHdr: true }
const PNG_GRAY_16 = { ...PNG_16, bytes: 25_300_000, pixelBytes: 2 }
const AVIF_HDR = { format: 'avif', bytes: 800_000, ...DEEP, isHdr: true }
const TIFF_FLOAT = { format: 'tiff', bytes: 144_000_000, ...DEEP, pixelBytes: 12, isRewritten: true }
/** Without compression. */
const TIFF_EXTRA = { format: 'tiff', pixelBytes: 4, isRewritten: true }
const MOVING = { frames: 12, height: 252 }
const WEBP_MOVING = { format: 'webp', bytes: 1_800_000, pixelBytes: 4, ...MOVING }
const GIF_MOVING = { format: 'gif', bytes: 11_200_000, pixelBytes: 1, ...MOVING }
const JXL_MOVING = { format: 'jxl', bytes: 4_200_000, ...MOVING }

/** Measured with `bench/memory-of-photos.ts`, which also measures the quality of the results. */
it.each<[string, Partial<OriginalFacts>, object, number]>([
  ['png', { format: 'png', bytes: 36_900_000 }, SMALLER, 280],
  ['png 16', PNG_16, SMALLER, 287],
  ['png 16 profile', PNG_16_PROFILE, SMALLER, 283],
  ['png gray 16', PNG_GRAY_16, SMALLER, 217],
  ['png interlaced', { format: 'png', bytes: 36_900_000, isWhole: true }, SMALLER, 261],
  ['png interlaced 16', { ...PNG_16, isWhole: true }, SMALLER, 304],
  ['jpeg progressive 4:4:4', { format: 'jpg', bytes: 2_400_000, isWhole: true }, SMALLER, 276],
  ['jpeg progressive', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5, isWhole: true }, SMALLER, 255],
  ['tiff deflate', { format: 'tiff', bytes: 26_200_000 }, SMALLER, 218],
  ['tiff one strip', { format: 'tiff', bytes: 36_300_000, isWhole: true }, SMALLER, 231],
  ['tiff deflate one strip', { format: 'tiff', bytes: 23_100_000, isWhole: true }, SMALLER, 248],
  ['tiff 16', { format: 'tiff', bytes: 72_600_000, ...DEEP }, SMALLER, 239],
  ['webp animated', WEBP_MOVING, SMALLER, 187],
  ['gif animated', GIF_MOVING, SMALLER, 224],
  ['avif animated', { format: 'avif', bytes: 700_000, frames: 8, height: 252 }, SMALLER, 206],
  ['jxl animated', JXL_MOVING, SMALLER, 324],
  ['png animated', { format: 'png', bytes: 26_000_000, frames: 12, height: 252 }, SMALLER, 202],
  ['jxl', { format: 'jxl', bytes: 4_100_000 }, SMALLER, 436],
  ['jxl 16', { format: 'jxl', bytes: 4_100_000, ...DEEP }, SMALLER, 576],
  ['heic', { format: 'heic', bytes: 300_000 }, SMALLER, 303],
  ['heic 10', { format: 'heic', bytes: 300_000, ...DEEP }, SMALLER, 397],
  ['png palette', { format: 'png', bytes: 12_600_000, pixelBytes: 1 }, SMALLER, 237],
  ['tiff 1 bit', { format: 'tiff', bytes: 800_000, pixelBytes: 1 }, SMALLER, 227],
  ['jpeg CMYK progressive', { format: 'jpg', bytes: 17_100_000, pixelBytes: 4, isWhole: true }, SMALLER, 313],
  ['png 16 alpha', { format: 'png', bytes: 101_500_000, pixelBytes: 8, isDeep: true }, SMALLER, 353],
  ['webp lossless', { format: 'webp', bytes: 27_700_000 }, SMALLER, 244],
  ['bmp', { format: 'bmp', bytes: 36_300_000 }, SMALLER, 293],
  ['tiff lzw', { format: 'tiff', bytes: 28_800_000 }, SMALLER, 238],
  ['tiff CMYK', { format: 'tiff', bytes: 60_300_000, pixelBytes: 4 }, SMALLER, 239],
  ['jpeg 4:4:4', { format: 'jpg', bytes: 2_400_000 }, SMALLER, 218],
  ['jpeg with 400 MB behind its image', { format: 'jpg', bytes: 407_200_000 }, SMALLER, 1_309],
  ['png HDR', PNG_HDR, SMALLER, 1_061],
  ['png HDR', PNG_HDR, { format: 'jpeg' }, 1_090],
  ['png HDR', PNG_HDR, { format: 'jxl' }, 1_519],
  ['avif HDR', AVIF_HDR, SMALLER, 1_141],
  ['avif HDR', AVIF_HDR, { format: 'jpeg' }, 1_189],
  ['avif HDR', AVIF_HDR, { format: 'jxl' }, 1_484],
  ['jxl HDR', { ...AVIF_HDR, format: 'jxl', bytes: 1_600_000 }, SMALLER, 1_235],
  ['heic HDR', { ...AVIF_HDR, format: 'heic' }, SMALLER, 785],
  ['heic HDR', { ...AVIF_HDR, format: 'heic' }, { format: 'jpeg' }, 1_160],
  ['heic HDR', { ...AVIF_HDR, format: 'heic' }, { format: 'jxl' }, 1_476],
  ['png 16', { ...PNG_16, bytes: 23_400_000 }, { format: 'jxl' }, 862],
  ['tiff float', TIFF_FLOAT, SMALLER, 478],
  ['tiff zstd', { format: 'tiff', bytes: 2_300_000, isRewritten: true }, SMALLER, 301],
  ['tiff extra channel', { ...TIFF_EXTRA, bytes: 48_400_000 }, SMALLER, 320],
  ['tiff after a thumbnail', { format: 'tiff', bytes: 36_300_000, isHeld: true }, SMALLER, 299],
  ['gif', { format: 'gif', bytes: 11_100_000, pixelBytes: 1 }, SMALLER, 289],
  ['jpeg rotated', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5 }, SMALLER, 240],
  ['jpeg', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5 }, SMALLER, 227],
  ['png alpha', { format: 'png', bytes: 49_100_000, pixelBytes: 4 }, SMALLER, 287],
  ['webp', { format: 'webp', bytes: 1_900_000 }, SMALLER, 243],
  ['webp animated', WEBP_MOVING, { format: 'webp' }, 273],
  ['gif animated', GIF_MOVING, { format: 'same' }, 287],
  ['avif animated', { format: 'avif', bytes: 700_000, frames: 8, height: 252 }, { format: 'webp' }, 346],
  ['jpeg', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5 }, { format: 'jxl' }, 580],
  ['jpeg', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5 }, { format: 'jxl', lossless: true }, 356],
  ['png 16', PNG_16, { format: 'png' }, 283],
  ['png 16 profile', PNG_16_PROFILE, { format: 'png' }, 625],
  ['png 16 profile', PNG_16_PROFILE, { format: 'jpeg' }, 440],
  ['png gray 16', PNG_GRAY_16, { format: 'png' }, 173],
  ['png gray 16', PNG_GRAY_16, { format: 'jpeg' }, 383],
  ['png 16', PNG_16, { format: 'tiff' }, 230],
  ['png 16', PNG_16, { format: 'png', size: { width: 2048, height: 2048 } }, 328],
  ['jpeg', { format: 'jpg', bytes: 1_600_000, pixelBytes: 1.5 }, { format: 'jpeg', rotate: 90 }, 392],
  ['png 16', PNG_16, { format: 'jpeg', rotate: 90 }, 478],
  ['jxl animated', JXL_MOVING, { format: 'same' }, 394],
])(
  'a photo of 12 megapixels (%s) with the facts %j and the preset %j needs about as much as predicted',
  (_, facts, recipe, most) => {
    const mib = predicted(4_000, facts.height ?? 3_024, recipe, facts)
    expect(mib).toBeGreaterThan(most * 0.95)
    expect(mib).toBeLessThan(most * 2)
  },
)

it('of a reduced HEIC of 200 megapixels is about what was measured if it has tiles, and otherwise more', () => {
  const heic = { format: 'heic', bytes: 2_400_000 }
  const [tiled, whole] = [false, true].map((isWhole) =>
    predicted(12_240, 16_320, SMALLER, { ...heic, isWhole }),
  )
  expect(tiled).toBeGreaterThan(556 * 0.95)
  expect(tiled).toBeLessThan(556 * 2)
  expect(whole).toBeGreaterThan(2_000)
})

it('of a HEIC of 48 megapixels with transparency is about what was measured', () => {
  const heic = { format: 'heic', bytes: 1_000_000, pixelBytes: 4 }
  expect(1_441 / predicted(8_016, 6_000, { format: 'png' }, heic)).toBeCloseTo(1, 1)
})

it.each<[string, number, number, Partial<OriginalFacts>, number]>([
  ['after a thumbnail', 6_000, 4_000, { format: 'tiff', bytes: 72_000_000, isHeld: true }, 358],
  ['with an extra channel', 9_000, 8_000, { ...TIFF_EXTRA, bytes: 288_000_000 }, 1_267],
])('of a large TIFF %s is about what was measured', (_, width, height, facts, most) => {
  const mib = predicted(width, height, SMALLER, facts)
  expect(mib).toBeGreaterThan(most * 0.95)
  expect(mib).toBeLessThan(most * 2)
})

it('is that of the whole box if the result fills one', () => {
  const box = { width: 4_000, height: 4_000 }
  const inside = predicted(4_000, 400, { size: { ...box, fit: 'inside' } })
  expect(predicted(4_000, 400, { size: { ...box, fit: 'contain' } }) - inside).toBeGreaterThan(100)
})

it('is that of a smaller result', () => {
  expect(predicted(8_000, 6_000, { size: { width: 400 } })).toBeLessThan(predicted(8_000, 6_000, {}))
})

it('of unknown dimensions is that of a large photo', () => {
  const unknown = { ...FACTS, width: null, height: null }
  const bytes = predictMemory(unknown, { kind: 'image', image: ImageRecipe.parse({}) }, 1)
  expect(bytes / MIB).toBe(predicted(10_000, 10_000, {}))
})

it('of absurd dimensions is that of a large photo or video', () => {
  expect(predicted(2 ** 31, 2 ** 31, {})).toBe(predicted(10_000, 10_000, {}))
  expect(predictedVideo(1e9, 1e9, 'h264')).toBe(predictedVideo(3_840, 2_160, 'h264'))
})

const claiming = (frames: number) =>
  predicted(100, 100, { format: 'webp' }, { format: 'png', bytes: 1_200, frames })

it('of an animation is limited by its bytes if its header claims billions of frames', () => {
  expect(claiming(2 ** 32 - 1)).toBe(claiming(100))
  expect(claiming(50)).toBeLessThan(claiming(100))
})

const predictedGif = (frames: number) =>
  predicted(500, 400, { format: 'webp' }, { format: 'gif', bytes: 9_000_000, frames })

it('of a long GIF counts all its frames, because its decoder accepts twice as many as others', () => {
  expect(predictedGif(1_000)).toBeGreaterThan(1.3 * predictedGif(671))
  expect(predictedGif(9_000)).toBe(predictedGif(1_342))
})

it('of a photo whose frames need more than its header says is that of the frames', () => {
  const needed = { width: 2_800, height: 2_000 }
  const gif = { format: 'gif', bytes: 140_000, pixelBytes: 1, frames: 20 }
  const recipe = { kind: 'image', image: ImageRecipe.parse({ format: 'same' }) } as const
  for (const side of [null, 1, 3_000])
    expect(predictMemory({ ...FACTS, ...gif, width: side, height: side, needed }, recipe, 1) / MIB).toBe(
      predicted(Math.max(2_800, side ?? 0), Math.max(2_000, side ?? 0), { format: 'same' }, gif),
    )
})

it('of an animation with an unknown number of frames is that of as many as decoders accept', () => {
  const flat = { format: 'jxl', bytes: 62_000 }
  const [counted, most, unknown] = [30, 69, undefined].map((frames) =>
    predicted(1_600, 1_200, { format: 'same' }, { ...flat, frames }),
  )
  // 1,282 MiB were measured for 30 frames.
  expect(counted).toBeGreaterThan(1_282 * 0.95)
  expect(counted).toBeLessThan(1_282 * 2)
  expect(unknown).toBe(most)
  const tiny = (frames: number | undefined) =>
    predicted(1_600, 1_200, { format: 'same' }, { ...flat, bytes: 40, frames })
  expect(tiny(undefined)).toBe(tiny(3))
  const [still, jpeg] = [1, undefined].map((frames) =>
    predicted(1_600, 1_200, { format: 'webp' }, { frames }),
  )
  expect(jpeg).toBe(still)
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
  [1_920, 1_080, 2, { codec: 'av1', speed: 'fast' }, 643],
  [1_920, 1_080, 2, { codec: 'av1', speed: 'medium' }, 962],
  [1_920, 1_080, 16, { codec: 'av1', speed: 'medium' }, 1_649],
  [1_920, 1_080, 2, { codec: 'av1', speed: 'slow' }, 1_043],
  [1_920, 1_080, 16, { codec: 'av1', speed: 'slow' }, 1_907],
  [1_920, 1_080, 2, { codec: 'hevc', speed: 'slow' }, 635],
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
    const bytes = predictMemory({ ...FACTS, width, height, format: 'mp4' }, video, cores)
    expect(bytes / MIB).toBeGreaterThan(most)
    expect(bytes / MIB).toBeLessThan(most * 2)
  },
)

const predictedVideo = (width: number | null, height: number | null, codec: string): number =>
  predictMemory({ ...FACTS, width, height }, { kind: 'video', video: VideoRecipe.parse({ codec }) }, 4)

it('of a video is that of 4K if its dimensions are unknown, and little for a copy', () => {
  for (const side of [null, 0])
    expect(predictedVideo(side, side, 'h264')).toBe(predictedVideo(3_840, 2_160, 'h264'))
  expect(predictedVideo(3_840, 2_160, 'copy')).toBeLessThan(250 * MIB)
})

it('of a trial with a hardware encoder is that of the sample frames, unless an earlier search already needs as much', () => {
  const original = { ...FACTS, width: 1_920, height: 1_080 }
  const trial = (recipe: object) =>
    memoryOfTrial(original, { kind: 'video', video: VideoRecipe.parse(recipe) })
  // 90 frames of 12 bits per pixel.
  expect(trial({})).toBeGreaterThan(90 * 1_920 * 1_080 * 1.5)
  expect(trial({ height: 540 })).toBe((trial({}) ?? 0) / 4)
  expect(trial({ look: 90 })).toBe(0)
  expect(trial({ maxBytes: 1_000_000 })).toBeUndefined()
})

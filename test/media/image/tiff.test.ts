import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openImage } from '../../../src/media/image/source-image.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { describeFailure } from '../../../src/shared/i18n/failures.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { entryAt, makePages, makeTiff, oldJpegInTiff, type TiffShape, writeLongStrip } from './make-tiff.ts'
import {
  meanDifference,
  photoFile,
  type PhotoRecipe,
  processContent,
  rawOf,
  REMOVING,
  samplePhoto,
  usePhotoFolder,
} from './process-photo.ts'
import { codesOf } from '../loss-sentences.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const [WIDTH, HEIGHT] = [48, 32]

/** The picture: each channel is a slope with another direction, as shares of the brightest value. */
const share = (x: number, y: number, channel: number): number =>
  ((channel === 1 ? WIDTH - 1 - x : x) / (WIDTH - 1) + (channel === 2 ? HEIGHT - 1 - y : y) / (HEIGHT - 1)) /
  2

/** Stores a share as a number of this kind. */
const stored = (value: number, { bits = 8, sampleFormat = 1 }: Partial<TiffShape>): number =>
  sampleFormat === 3
    ? value
    : Math.round(value * (2 ** bits - 1)) - (sampleFormat === 2 ? 2 ** (bits - 1) : 0)

const picture = (shape: Omit<TiffShape, 'sample'> = {}): TiffShape => ({
  ...shape,
  sample: (x, y, channel) => stored(share(x, y, channel), shape),
})

/** A bright point in a dark picture. */
const star = (x: number, y: number) => (x === 300 && y === 200 ? 1 : x / 100_000)

/** Returns the values as shown, of 8 bits. */
async function shown(content: Buffer, channels: number): Promise<number[]> {
  const image = await openImage(await photoFile('made.tif', content))
  const { input, options } = await image.source()
  const { data, info } = await rawOf(sharp(input, { ...options, failOn: 'warning' }).toColourspace('srgb'))
  // A gray PNG has three equal channels once it is decoded.
  expect(info.channels === channels || (channels === 1 && info.channels === 3)).toBe(true)
  return [...data].filter((_, at) => at % info.channels < channels)
}

async function expectPicture(shape: TiffShape, channels = 1, most = 1): Promise<void> {
  const values = await shown(makeTiff(shape), channels)
  const expected = Array.from({ length: WIDTH * HEIGHT * channels }, (_, at) => {
    const pixel = Math.floor(at / channels)
    return share(pixel % WIDTH, Math.floor(pixel / WIDTH), at % channels) * 255
  })
  const apart = values.map((value, at) => Math.abs(value - (expected[at] ?? 0)))
  expect(Math.max(...apart), 'largest difference from the picture').toBeLessThanOrEqual(most)
}

const RGB = { photometric: 2, samples: 3 } as const

/** The layouts in which pixels can be stored. */
const LAYOUTS = [8, 16].flatMap((bits) =>
  [false, true].flatMap((isPlanar) =>
    [{}, { rowsPerStrip: 8 }, { tile: [16, 16] as const }].map((blocks) => ({ bits, isPlanar, ...blocks })),
  ),
)

describe('a TIFF with transparency', () => {
  it.each(firstOf(LAYOUTS))('is gray, stored as %j', async (layout) => {
    for (const photometric of [0, 1]) {
      const sample = (x: number, y: number, channel: number) =>
        stored(photometric === 0 && channel === 0 ? 1 - share(x, y, 0) : share(x, y, channel), layout)
      const tiff = makeTiff({ ...layout, photometric, samples: 2, extraSamples: [2], sample })
      const image = await openImage(await photoFile('made.tif', tiff))
      const { input, options } = await image.source()
      const pixels = await sharp(input, options).toColourspace('srgb').raw().toBuffer()
      const channels = pixels.length / WIDTH / HEIGHT
      for (const [x, y] of [
        [0, 0],
        [40, 3],
        [7, 30],
        [47, 31],
      ] as const) {
        const at = (y * WIDTH + x) * channels
        const expected = [share(x, y, 0), share(x, y, 1)].map((one) => one * 255)
        const apart = [pixels[at], pixels[at + channels - 1]].map((one, index) =>
          Math.abs((one ?? 0) - (expected[index] ?? 0)),
        )
        expect(Math.max(...apart), `${photometric} at ${x}, ${y}`).toBeLessThanOrEqual(1)
      }
    }
  })
})

describe('a TIFF', () => {
  it.each(firstOf([8, 16, 12, 1, 2, 3, 4, 5, 6, 7, 10, 14, 17, 24, 31, 32], 3))(
    'may have %i bits per channel, in gray and in color',
    async (bits) => {
      // A value is rounded to the nearest one of this depth.
      const most = 1 + 127.5 / (2 ** bits - 1)
      await expectPicture(picture({ bits }), 1, most)
      await expectPicture(picture({ ...RGB, bits }), 3, most)
      const dark = (x: number, y: number) => stored(1 - share(x, y, 0), { bits })
      await expectPicture({ bits, photometric: 0, sample: dark }, 1, most)
    },
  )

  it.each(
    firstOf(
      [
        [8, 2],
        [16, 2],
        [32, 2],
        [12, 2],
        [16, 3],
        [24, 3],
        [32, 3],
        [64, 3],
      ] as const,
      2,
    ),
  )('may have %i bits per channel in number format %i', async (bits, sampleFormat) => {
    await expectPicture(picture({ bits, sampleFormat }))
    await expectPicture(picture({ ...RGB, bits, sampleFormat, isBigEndian: true }), 3)
  })

  it('with floating-point samples is clipped to 0 to 1, and NaN becomes black', async () => {
    const values = [-1, 2, NaN, 0.5]
    const sample = (x: number) => values[Math.floor(x / 12)] ?? 0
    const row = (await shown(makeTiff({ bits: 32, sampleFormat: 3, sample }), 1)).slice(0, WIDTH)
    expect([row[0], row[13], row[25], row[40]]).toEqual([0, 255, 0, 128])
  })

  itInLongSuite(
    'with floating-point samples that are all near 0 is scaled, and stays dark if one is bright',
    async () => {
      for (const unit of [0.02, 0.001, 1e-7]) {
        const file = makeTiff({ bits: 32, sampleFormat: 3, sample: (x) => (x / (WIDTH - 1)) * unit })
        const row = (await shown(file, 1)).slice(0, WIDTH)
        expect([row[0], row[WIDTH - 1]]).toEqual([0, 255])
      }
      const night = makeTiff({ width: 600, height: 400, bits: 32, sampleFormat: 3, sample: star })
      const { losses } = await processContent('night.tif', night, { format: 'png' })
      expect(codesOf(losses)).toEqual(['bitDepth'])
    },
  )

  it.each<[string, Partial<TiffShape>]>(
    firstOf([
      ['strips of a few rows', { rowsPerStrip: 5 }],
      ['strips in reverse order', { rowsPerStrip: 5, hasReversedBlocks: true }],
      ['tiles', { tile: [16, 16] }],
      ['tiles larger than the image, in reverse order', { tile: [32, 48], hasReversedBlocks: true }],
      ['big-endian numbers', { isBigEndian: true }],
      ['BigTIFF', { isBig: true }],
      ['big-endian BigTIFF', { isBig: true, isBigEndian: true }],
      ['Deflate', { compression: 'deflate', rowsPerStrip: 7 }],
      ['PackBits', { compression: 'packBits', rowsPerStrip: 7 }],
      ['Zstandard', { compression: 'zstd' }],
      ['differences of samples', { compression: 'deflate', predictor: 2, tile: [16, 16] }],
      ['bits in reverse order', { hasReversedBits: true }],
      ['compressed bits in reverse order', { hasReversedBits: true, compression: 'packBits' }],
    ]),
  )('of unusual depth may have %s, with and without separate planes', async (_, layout) => {
    for (const depth of [
      { bits: 12 },
      { bits: 32 },
      { bits: 16, sampleFormat: 2 },
      { bits: 32, sampleFormat: 3 },
    ] as const)
      for (const isPlanar of [false, true])
        await expectPicture(picture({ ...RGB, ...depth, ...layout, isPlanar }), 3)
  })

  it.each(firstOf([16, 24, 32, 64]))(
    'with the predictor for floating-point samples of %i bits',
    async (bits) => {
      const shape = { bits, sampleFormat: 3, predictor: 3, compression: 'deflate' } as const
      await expectPicture(picture({ ...RGB, ...shape, rowsPerStrip: 9 }), 3)
      await expectPicture(picture({ ...RGB, ...shape, isBigEndian: true, isPlanar: true, tile: [16, 16] }), 3)
    },
  )

  it.each([8, 16])('may have separate tiles of %i bits, also as BigTIFF', async (bits) => {
    for (const isBig of [false, true])
      await expectPicture(picture({ ...RGB, bits, isBig, isPlanar: true, tile: [16, 16] }), 3)
  })

  it('may have tiles that are called separate although there is only one channel', async () => {
    await expectPicture(picture({ isPlanar: true, tile: [16, 16] }))
  })

  it('of unusual depth may be compressed with LZW', async () => {
    // Two neighboring bytes of a gray image hold the samples of one wider or narrower pixel.
    const wide = { width: 72, height: HEIGHT, sample: (x: number, y: number) => (x * 7 + y * y) % 256 }
    const gray = sharp(makeTiff({ ...picture(), ...wide })).toColourspace('b-w')
    const lzw = await gray.clone().tiff({ compression: 'lzw', predictor: 'none' }).toBuffer()
    const expected = await gray.raw().toBuffer()
    const values = await shown(withValues(lzw, { 256: 48, 258: 12 }), 1)
    const twelve = (at: number) => {
      const from = Math.floor((at * 3) / 2)
      const [one = 0, two = 0] = [expected[from], expected[from + 1]]
      return at % 2 === 0 ? one * 16 + (two >> 4) : (one & 15) * 256 + two
    }
    const apart = values.map((value, at) => Math.abs(value - (twelve(at) * 255) / 4095))
    expect(Math.max(...apart)).toBeLessThanOrEqual(1)
  })
})

/** Changes single values of tags in the first directory. */
function withValues(tiff: Buffer, changes: Readonly<Record<number, number>>): Buffer {
  const changed = Buffer.from(tiff)
  const directory = changed.readUInt32LE(4)
  for (let entry = 0; entry < changed.readUInt16LE(directory); entry++) {
    const at = directory + 2 + entry * 12
    const value = changes[changed.readUInt16LE(at)]
    if (value !== undefined) changed.writeUInt16LE(value, at + 8)
  }
  return changed
}

describe('a photo with unusual samples', () => {
  it.each<[string, Partial<TiffShape>, PhotoRecipe, readonly string[]]>(
    firstOf(
      [
        ['12 bits', { bits: 12 }, { format: 'png' }, []],
        ['floating-point numbers', { bits: 32, sampleFormat: 3 }, { format: 'jpeg' }, []],
        ['32 bits', { bits: 32 }, {}, ['bitDepth']],
        ['signed numbers', { bits: 16, sampleFormat: 2 }, { format: 'tiff' }, []],
        ['BigTIFF', { bits: 10, isBig: true }, { format: 'webp', quality: 95 }, []],
      ],
      2,
    ),
  )('is compared with its result: %s', async (_, shape, recipe, lost) => {
    const content = makeTiff(picture({ ...RGB, ...shape }))
    const { bytes, losses } = await processContent('photo.tif', content, recipe)
    expect(codesOf(losses)).toEqual(lost)
    const values = await sharp(bytes).toColourspace('srgb').raw().toBuffer()
    const expected = await shown(makeTiff(picture(RGB)), 3)
    expect(meanDifference(values, expected)).toBeLessThan(3)
  })
})

describe('floating-point samples', () => {
  const FLOAT = { bits: 32, sampleFormat: 3 } as const
  const from = (least: number, most: number, shape: Partial<TiffShape> = {}): TiffShape => ({
    ...FLOAT,
    ...shape,
    sample: (x, y, channel) => least + share(x, y, channel) * (most - least),
  })

  it.each<[string, TiffShape]>(
    firstOf([
      ['0 to 255', from(0, 255)],
      [
        '0 to 255 in colors, tiles and separate planes',
        from(0, 255, { ...RGB, tile: [16, 16], isPlanar: true }),
      ],
      ['0 to 255 in 16 bits', from(0, 255, { bits: 16 })],
      ['0 to 65,535 in 64 bits', from(0, 65_535, { bits: 64, isBigEndian: true })],
      ['heights', from(-100, 2900)],
    ]),
  )('may count from black to white in other numbers: %s', async (_, shape) => {
    await expectPicture(shape, shape.samples ?? 1)
    const { losses } = await processContent('numbers.tif', makeTiff(shape), { format: 'jpeg' })
    expect(losses).toEqual([])
  })

  it.each(
    firstOf([
      ['as the file says', -3.4e5, '-340000\0'],
      ['as programs for maps write them', -9999, undefined],
    ]),
  )('don’t include those of missing values, %s', async (_, missing, stated) => {
    const heights = (x: number, y: number): number => (x < 8 ? missing : 200 + share(x, y, 0) * 500)
    const tags = stated === undefined ? {} : { 42_113: Buffer.from(stated) }
    const values = await shown(makeTiff({ ...FLOAT, sample: heights, tags }), 1)
    expect([values[0], Math.max(...values)]).toEqual([0, 255])
    expect(values.filter((value) => value > 64 && value < 192).length).toBeGreaterThan(300)
    const { losses } = await processContent('heights.tif', makeTiff({ ...FLOAT, sample: heights, tags }))
    expect(codesOf(losses)).toEqual(['bitDepth'])
  })

  it('may count between the numbers that the file states', async () => {
    const file = makeTiff(from(-1, 1, { tags: { 340: [0xffff_ffff], 341: [1] } }))
    const lowest = file.indexOf(Buffer.from([0x54, 1, 4, 0]))
    file.writeUInt16LE(11, lowest + 2)
    file.writeFloatLE(-1, lowest + 8)
    const values = await shown(file, 1)
    expect([values[0], values[WIDTH - 1], values.at(-1)]).toEqual([0, 128, 255])
  })

  itInLongSuite('lose what is brighter than white, which is named', async () => {
    for (const [most, codes] of [
      [1, []],
      [3, ['hdr']],
    ] as const) {
      const content = makeTiff(from(0, most, RGB))
      for (const format of ['jpeg', 'png', 'tiff'] as const) {
        const { losses } = await processContent('light.tif', content, { format })
        expect(
          codesOf(losses).filter((code) => code !== 'bitDepth'),
          format,
        ).toEqual(codes)
      }
    }
    const values = await shown(makeTiff(from(0, 3)), 1)
    expect(values.filter((value) => value === 255).length).toBeGreaterThan(900)
  })
})

describe('the channels of a TIFF', () => {
  it.each(firstOf([8, 12, 16]))('without a stated use aren’t transparency, in %i bits', async (bits) => {
    for (const extraSamples of [[0], undefined] as const)
      await expectPicture(picture({ ...RGB, bits, samples: 4, ...(extraSamples && { extraSamples }) }), 3)
    await expectPicture(picture({ bits, samples: 3, extraSamples: [0, 0] }), 1)
    await expectPicture(picture({ ...RGB, bits, samples: 4, extraSamples: [0], isPlanar: true }), 3)
  })

  it.each(firstOf([8, 12, 16]))('may be transparency after others, in %i bits', async (bits) => {
    const sample = (x: number, y: number, channel: number) =>
      stored(channel === 4 ? 0.5 : channel === 3 ? 0.1 : share(x, y, channel), { bits })
    const tiff = makeTiff({ ...RGB, bits, samples: 5, extraSamples: [0, 2], sample })
    const values = await shown(tiff, 4)
    expect(new Set(values.filter((_, at) => at % 4 === 3))).toEqual(new Set([128]))
  })

  it('may be multiplied with the transparency', async () => {
    const half: TiffShape = {
      ...RGB,
      bits: 12,
      samples: 4,
      extraSamples: [1],
      sample: (x, y, channel) => stored((channel === 3 ? 1 : share(x, y, channel)) / 2, { bits: 12 }),
    }
    const values = await shown(makeTiff(half), 4)
    const [red = 0, green = 0, blue = 0, alpha = 0] = values.slice(-4)
    expect([red, green, blue, alpha].map((value) => Math.round(value / 5) * 5)).toEqual([255, 130, 130, 130])
  })

  it('may be indices of a palette in any depth, with further channels', async () => {
    const palette = [0, 85, 170, 255].flatMap((value) => [value * 257])
    const tags = { 320: [...palette, ...palette.toReversed(), ...palette.map(() => 0)] }
    const indices = { bits: 2, photometric: 3, samples: 2, extraSamples: [0], tags }
    const tiff = makeTiff({ ...indices, sample: (x, _, channel) => (channel === 0 ? Math.floor(x / 12) : 1) })
    const row = (await shown(tiff, 3)).slice(0, WIDTH * 3)
    expect([0, 13, 25, 40].map((x) => row.slice(x * 3, x * 3 + 3))).toEqual([
      [0, 255, 0],
      [85, 170, 0],
      [170, 85, 0],
      [255, 0, 0],
    ])
  })

  it.each(firstOf([8, 12, 16, 32]))('may be inks of %i bits, also with a spot color', async (bits) => {
    const inks = [0.2, 0.6, 0.1, 0.3]
    const inked = (depth: number, samples: number, extraSamples?: readonly number[]) => {
      const sample = (_x: number, _y: number, channel: number) =>
        stored(inks[channel] ?? 0.9, { bits: depth })
      return makeTiff({ bits: depth, photometric: 5, samples, sample, ...(extraSamples && { extraSamples }) })
    }
    const expected = await shown(inked(8, 4), 3)
    expect(meanDifference(await shown(inked(bits, 4, []), 3), expected)).toBeLessThanOrEqual(1)
    expect(meanDifference(await shown(inked(bits, 5, [0]), 3), expected)).toBeLessThanOrEqual(1)
    const clear = await shown(inked(bits, 5, [2]), 4)
    expect(clear[3]).toBe(Math.round(0.9 * 255))
  })
})

type Lab = readonly [light: number, a: number, b: number]
/** Lab colors for the illuminant D50 and their sRGB values, as CSS Color 4 calculates them. */
const COLORS: readonly { readonly lab: Lab; readonly srgb: readonly number[] }[] = [
  { lab: [50, 20, -30], srgb: [133, 108, 170] },
  { lab: [80, -40, 40], srgb: [136, 218, 119] },
  { lab: [100, 0, 0], srgb: [255, 255, 255] },
  { lab: [0, 0, 0], srgb: [0, 0, 0] },
  { lab: [60, 0, 0], srgb: [145, 145, 145] },
  { lab: [30, 50, 40], srgb: [141, 13, 10] },
]

describe('Lab colors in a TIFF', () => {
  const codings: readonly [string, Partial<TiffShape>, (lab: Lab) => Lab][] = [
    ['CIELAB of 8 bits', { photometric: 8 }, ([l, a, b]) => [l * 2.55, a, b]],
    ['CIELAB of 16 bits', { photometric: 8, bits: 16 }, ([l, a, b]) => [l * 655.35, a * 256, b * 256]],
    ['CIELAB of 32-bit floats', { photometric: 8, bits: 32, sampleFormat: 3 }, (lab) => lab],
    ['ICCLAB of 8 bits', { photometric: 9 }, ([l, a, b]) => [l * 2.55, a + 128, b + 128]],
    [
      'ICCLAB of 16 bits',
      { photometric: 9, bits: 16 },
      ([l, a, b]) => [l * 652.8, (a + 128) * 256, (b + 128) * 256],
    ],
    ['ITULAB of 8 bits', { photometric: 10 }, ([l, a, b]) => [l * 2.55, a * 1.5 + 128, b * 1.275 + 96]],
  ]

  it.each(firstOf(codings))('may be stored as %s', async (_, shape, code) => {
    const sample = (x: number, _y: number, channel: number) =>
      code(COLORS[Math.floor(x / 8)]?.lab ?? [0, 0, 0])[channel] ?? 0
    for (const isPlanar of [false, true]) {
      const row = await shown(makeTiff({ samples: 3, ...shape, isPlanar, sample }), 3)
      for (const [index, { lab, srgb }] of COLORS.entries()) {
        const actual = row.slice(index * 24, index * 24 + 3)
        const apart = Math.max(...actual.map((value, at) => Math.abs(value - (srgb[at] ?? 0))))
        expect(apart, `${lab.join()} is ${srgb.join()}, not ${actual.join()}`).toBeLessThanOrEqual(4)
      }
    }
  })

  it('may have transparency', async () => {
    const lab = { photometric: 8, samples: 4, extraSamples: [2] }
    const tiff = makeTiff({ ...lab, sample: (_x, _y, channel) => [153, 0, 0, 64][channel] ?? 0 })
    const row = await shown(tiff, 4)
    expect(row.slice(0, 4)).toEqual([145, 145, 145, 64])
  })
})

/** Red and green, in the numbers of JPEG. */
const redAndGreen = (x: number, _y: number, channel: number): number =>
  (x < WIDTH / 2 ? [76, 85, 255] : [149, 43, 21])[channel] ?? 0

async function expectRedAndGreen(tiff: Buffer): Promise<void> {
  const row = (await shown(tiff, 3)).map((value) => Math.round(value / 8) * 8)
  expect([...row.slice(0, 3), ...row.slice(141, 144)]).toEqual([256, 0, 0, 0, 256, 0])
}

describe('brightness and color differences in a TIFF', () => {
  it.each(
    firstOf([
      [2, 2],
      [1, 1],
      [2, 1],
      [1, 2],
      [4, 1],
      [4, 2],
      [4, 4],
    ] as const),
  )('may share colors among %i × %i pixels', async (...subsampling) => {
    const layouts = [{}, { isPlanar: true }, { rowsPerStrip: 8, compression: 'deflate' }] as const
    for (const layout of layouts) {
      const tiff = makeTiff({ photometric: 6, samples: 3, subsampling, ...layout, sample: redAndGreen })
      await expectRedAndGreen(tiff)
    }
  })

  it.each(
    firstOf([
      [16, [0, 65_535, 32_768, 65_535, 32_768, 65_535]],
      [16, [0, 255, 128, 255, 128, 255]],
      [12, [0, 4_095, 2_048, 4_095, 2_048, 4_095]],
      [6, [0, 63, 32, 63, 32, 63]],
    ]),
  )('may have %i bits, with black and white at %j', async (bits, blackAndWhite) => {
    const tags = { 530: [1, 1], 532: blackAndWhite }
    const sample = (x: number, y: number, channel: number) =>
      Math.round((redAndGreen(x, y, channel) / 255) * (2 ** bits - 1))
    const tiff = makeTiff({ photometric: 6, samples: 3, bits, tags, sample })
    await expectRedAndGreen(tiff)
  })
})

const photo = () => samplePhoto(96, 64)

const jpeg = (chromaSubsampling = '4:2:0') =>
  photo().jpeg({ optimiseCoding: false, chromaSubsampling, quality: 90 }).toBuffer()

describe('JPEG in a TIFF', () => {
  it.each(firstOf(['complete', 'head', 'tables'] as const))(
    'may be of the old kind, stored %s',
    async (how) => {
      for (const subsampling of ['4:2:0', '4:4:4']) {
        const content = await jpeg(subsampling)
        const tiff = oldJpegInTiff(content, how, { 274: [6] })
        const { width, height, bytes } = await processContent('old.tif', tiff, { format: 'png' })
        expect({ width, height }).toEqual({ width: 64, height: 96 })
        const expected = await sharp(content).rotate(90).raw().toBuffer()
        expect((await sharp(bytes).raw().toBuffer()).equals(expected)).toBe(true)
      }
    },
  )

  itInLongSuite('is refused if a tile is damaged', async () => {
    const whole = await photo().extractChannel(0).jpeg().toBuffer()
    const damaged = Buffer.concat([whole.subarray(0, -200), whole.subarray(-150)])
    for (const tile of [whole, damaged]) {
      const tags = { 258: [8], 259: [7], 262: [1], 322: [96], 323: [64], 324: [8], 325: [tile.length] }
      const tiff = makePages([{ width: 96, height: 64, tile: [96, 64], tags, sample: () => 0 }], tile)
      const made = processContent('tiles.tif', tiff, { format: 'png' })
      if (tile === whole) expect((await made).losses).toEqual([])
      else await expect(made).rejects.toThrow(/damaged or incomplete/)
    }
  })

  itInLongSuite('may have separate planes', async () => {
    const planes = await Promise.all(
      ([0, 1, 2] as const).map((channel) => photo().extractChannel(channel).jpeg({ quality: 95 }).toBuffer()),
    )
    const lengths = planes.map(({ length }) => length)
    const offsets = planes.map((_, at) => 8 + Buffer.concat(planes.slice(0, at)).length)
    const format = { 256: [96], 257: [64], 258: [8, 8, 8], 259: [7], 262: [2], 277: [3], 284: [2] }
    const tags = { ...format, 273: offsets, 278: [64], 279: lengths }
    const tiff = makePages([{ width: 1, height: 1, tags, sample: () => 0 }], Buffer.concat(planes))
    const { bytes } = await processContent('planes.tif', tiff, { format: 'png' })
    const [made, original] = [await sharp(bytes).raw().toBuffer(), await photo().raw().toBuffer()]
    expect(meanDifference(made, original)).toBeLessThan(4)
  })
})

describe('the main image of a TIFF', () => {
  const thumbnail: TiffShape = { width: 12, height: 8, tags: { 254: [1] }, sample: () => 200 }

  it.each([8, 12])('with %i bits may follow a thumbnail', async (bits) => {
    for (const isBig of [false, true]) {
      const pages = [thumbnail, picture({ bits })].map((page) => ({ ...page, isBig }))
      const opened = await openImage(await photoFile('after.tif', makePages(pages)))
      expect(opened).toMatchObject({ width: WIDTH, height: HEIGHT })
    }
  })

  it('may be inside the thumbnail’s directory', async () => {
    const tiff = makePages([{ ...thumbnail, tags: { 254: [1], 330: [9] } }, picture()])
    const first = tiff.readUInt32LE(4)
    const next = first + 2 + tiff.readUInt16LE(first) * 12
    const inside = withValues(tiff, { 330: tiff.readUInt32LE(next) })
    inside.writeUInt32LE(0, next)
    const opened = await openImage(await photoFile('inside.tif', inside))
    expect(opened).toMatchObject({ width: WIDTH, height: HEIGHT })
  })

  it('is the first of several pages', async () => {
    const tiff = makePages([{ ...picture(), width: 20, height: 10 }, picture()])
    const { width } = await openImage(await photoFile('pages.tif', tiff))
    expect(width).toBe(20)
  })
})

async function refusal(content: Buffer, language = 'en-US'): Promise<string> {
  const error = await processContent('odd.tif', content).catch((thrown: unknown) => thrown)
  if (!(error instanceof FailureError)) throw error
  return describeFailure(error.failure, createTranslation(language))
}

describe('a TIFF that can’t be converted', () => {
  it('is refused by the name of its samples', async () => {
    expect(await refusal(makeTiff(picture({ bits: 64 })))).toBe(
      'This type of TIFF isn’t supported: it has 64-bit integer samples.',
    )
    expect(await refusal(makeTiff(picture({ bits: 64 })), 'de')).toBe(
      'Diese Art von TIFF wird nicht unterstützt: die Datei speichert Ganzzahlen mit 64 Bit.',
    )
  })

  it.each<[TiffShape, TiffShape['tags'], RegExp]>([
    [picture({ bits: 32 }), { 339: [6] }, /32-bit complex samples/],
    [picture(RGB), { 258: [5, 6, 5] }, /different numbers of bits/],
    [picture(), { 259: [34_925] }, /compressed with LZMA/],
    [picture({ bits: 12 }), { 259: [7] }, /12-bit integer/],
    [picture(), { 262: [32_803] }, /color type \(32803\)/],
    [picture({ photometric: 5, samples: 2 }), {}, /color type \(5\)/],
  ])('is refused by what isn’t supported: %j with the tags %j', async (shape, tags = {}, message) => {
    expect(await refusal(makeTiff({ ...shape, tags }))).toMatch(message)
  })

  itInLongSuite(
    'is refused as damaged if a block is missing or cut off, and as too large by its dimensions',
    async () => {
      const shape = picture({ ...RGB, bits: 12, isPlanar: true, rowsPerStrip: 8, compression: 'deflate' })
      expect(await refusal(makeTiff(shape).fill(0, 100, 200))).toMatch(/damaged or incomplete/)
      const claims = { ...shape, tags: { 256: [65_000], 257: [65_000] } }
      expect(await refusal(makeTiff(claims))).toMatch(/4,225 megapixels/)
      const rgb = picture(RGB)
      const odd: readonly TiffShape[] = [
        { ...shape, tags: { 273: [8, 8, 8] } },
        { ...shape, tags: { 279: [0, 0, 0] } },
        { ...shape, tags: { 256: [11_000], 257: [11_000], 278: [11_000] } },
        { ...shape, tile: [16, 16], tags: { 322: [2 ** 23], 323: [2 ** 23] } },
        { ...rgb, photometric: 6, subsampling: [2, 2], tags: { 530: [0, 2] } },
        { ...rgb, photometric: 6, subsampling: [2, 2], tags: { 530: [3, 65_535] } },
        { ...picture({ bits: 2 }), photometric: 3, samples: 2, tags: { 320: [1, 2, 3] } },
        { ...shape, tags: { 278: [0] } },
      ]
      for (const one of odd) expect(await refusal(makeTiff(one))).toMatch(/damaged or incomplete/)
    },
  )
})

/** Changes the place of the second strip or tile. */
function withPlace(shape: TiffShape, offset: number | undefined, length: number | undefined): Buffer {
  const sparse = makeTiff(shape)
  const tags = shape.tile === undefined ? ([273, 279] as const) : ([324, 325] as const)
  for (const [index, value] of [offset, length].entries()) {
    const entry = entryAt(sparse, tags[index] ?? 0)
    const width = sparse.readUInt16LE(entry + 2) === 3 ? 2 : 4
    const list = sparse.readUInt32LE(entry + 4) * width > 4 ? sparse.readUInt32LE(entry + 8) : entry + 8
    if (value !== undefined) sparse.writeUIntLE(value, list + width, width)
  }
  return sparse
}

describeInLongSuite('a TIFF in which a block isn’t stored', () => {
  it.each<[string, Partial<TiffShape>]>([
    ['strips', {}],
    ['strips of each channel', { isPlanar: true }],
    ['tiles', { tile: [16, 16] }],
  ])('is refused: %s', async (_, layout) => {
    for (const compression of ['none', 'deflate'] as const)
      for (const [offset, length] of [[0, 0], [0], [undefined, 0]]) {
        const shape = { ...picture(RGB), rowsPerStrip: 8, compression, ...layout }
        expect(await refusal(withPlace(shape, offset, length))).toMatch(/part of the image is missing/)
      }
  })

  it('is read, and copied without its metadata, if the block belongs to an unused channel', async () => {
    const tags = { 270: Buffer.from('In a cove\0') }
    const shape = { ...picture({ samples: 2, isPlanar: true, extraSamples: [0] }), tags }
    const sparse = withPlace(shape, 0, 0)
    const made = await processContent('plane.tif', sparse, REMOVING)
    expect([made.quality, made.notes, made.losses]).toEqual(['lossless', [], []])
    expect([sparse.includes('In a cove'), made.bytes.includes('In a cove')]).toEqual([true, false])
    const entries = [273, 279].map((tag) => made.bytes.readUInt32LE(entryAt(made.bytes, tag) + 8))
    expect(entries.map((at) => made.bytes.readUInt32LE(at + 4))).toEqual([0, 0])
    expect(await shown(made.bytes, 1)).toEqual(await shown(makeTiff(picture()), 1))
  })
})

itInLongSuite('a photo in one strip of more than 50 MB is read', async () => {
  const path = join(temporaryFolder(), 'strip.tiff')
  await writeLongStrip(path, 2_400, Buffer.alloc(2_400 ** 2, 200))
  const { input, options } = await (await openImage(path)).source()
  const pixels = await sharp(input, options).resize(1, 1).raw().toBuffer()
  expect(pixels[0]).toBe(200)
})

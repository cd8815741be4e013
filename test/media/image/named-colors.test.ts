import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { withColors } from '../../../src/media/image/avif-colors.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { createImagePreview } from '../../../src/media/image/preview-image.ts'
import { readRaw } from '../../../src/media/image/raw-image.ts'
import { isSrgbProfile } from '../../../src/media/image/srgb-profile.ts'
import { makeThumbnail } from '../../../src/media/thumbnail.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { colors, makeHeic } from './make-heic.ts'
import {
  photoFile,
  type PhotoRecipe,
  processContent,
  processPhoto,
  rawOf,
  usePhotoFolder,
  withChunks,
} from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const PIXELS = [
  [10, 20, 30],
  [60, 120, 180],
  [160, 226, 186],
  [250, 128, 5],
  [200, 200, 200],
  [40, 40, 40],
]

const chunk = (type: string, numbers: readonly number[], bytes: 1 | 4) => {
  const body = Buffer.alloc(numbers.length * bytes)
  for (const [index, value] of numbers.entries()) body.writeUIntBE(value, index * bytes, bytes)
  return pngChunk(type, body)
}
const cicp = (primaries: number, transfer: number) => chunk('cICP', [primaries, transfer, 0, 1], 1)
const gama = (value: number) => chunk('gAMA', [value], 4)
const chrm = (...points: readonly number[]) => chunk('cHRM', [31_270, 32_900, ...points], 4)
const SRGB_POINTS = [64_000, 33_000, 30_000, 60_000, 15_000, 6000]
const ADOBE_POINTS = [64_000, 33_000, 21_000, 71_000, 15_000, 6000]

function png(chunks: readonly Buffer[], isGray = false): Buffer {
  const row = [0, ...PIXELS.flatMap((pixel) => (isGray ? pixel.slice(0, 1) : pixel))]
  return oneRow({ depth: 8, isGray }, chunks, Buffer.from(row))
}

/** @param row with its filter */
function oneRow(
  { depth, isGray }: { depth: 8 | 16; isGray: boolean },
  chunks: readonly Buffer[],
  row: Buffer,
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(PIXELS.length, 0)
  header.writeUInt32BE(1, 4)
  header[8] = depth
  header[9] = isGray ? 0 : 2
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', deflateSync(row)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

async function shown(content: Buffer, recipe: PhotoRecipe = {}, name = 'colors.png') {
  const { output, losses } = await processContent(name, content, { format: 'png', ...recipe })
  expect(losses).toEqual([])
  const { data, info } = await rawOf(sharp(output).toColourspace('srgb'))
  return Array.from({ length: data.length / info.channels }, (_, index) => [
    ...data.subarray(index * info.channels, index * info.channels + info.channels),
  ])
}

/** Returns only the first channel of each pixel. */
const grayOf = (pixels: readonly number[][]) => pixels.map((pixel) => pixel.slice(0, 1))

function expectNear(actual: readonly number[][], expected: readonly number[][], most = 3): void {
  const apart = expected.flatMap((pixel, index) =>
    pixel.map((value, channel) => Math.abs(value - (actual[index]?.[channel] ?? Number.NaN))),
  )
  expect(Math.max(...apart), JSON.stringify(actual)).toBeLessThanOrEqual(most)
}

/** What Chromium shows for the pixels above. */
const IN_CHROMIUM = {
  p3: '7,20,31 30,122,185 139,228,183 255,119,0 200,200,200 40,40,40',
  p3With709: '0,8,19 4,114,181 132,227,179 255,111,0 197,197,197 28,28,28',
  bt2020: '0,8,19 0,117,182 74,232,178 255,88,0 197,197,197 28,28,28',
  bt2020InAvif: '0,21,31 0,125,186 88,234,182 255,98,0 200,200,200 40,40,40',
  plain: '10,20,30 60,120,180 160,226,186 250,128,5 200,200,200 40,40,40',
  smpteC: '2,7,18 58,113,176 160,223,182 244,124,0 197,197,197 28,28,28',
  smpte240: '26,38,48 84,134,189 174,228,194 245,143,7 206,206,206 58,58,58',
  systemM: '0,13,25 0,127,186 118,226,186 255,119,0 201,201,201 35,35,35',
  gamma28: '0,3,8 36,98,165 142,220,172 249,106,0 189,189,189 17,17,17',
  dciP3: '0,5,14 14,111,183 137,233,180 255,107,0 200,200,200 23,23,23',
  linear: '56,79,96 133,183,219 208,242,222 253,188,38 229,229,229 110,110,110',
  linearGray: '56 133 208 253 229 110',
  adobe: '0,12,24 0,121,184 122,227,186 255,129,0 201,201,201 35,35,35',
} as const
const inChromium = (name: keyof typeof IN_CHROMIUM) =>
  IN_CHROMIUM[name].split(' ').map((pixel) => pixel.split(',').map(Number))

describe('colors that a PNG specifies by numbers', () => {
  it.each(
    firstOf(
      [
        ['p3', [cicp(12, 13)]],
        ['p3With709', [cicp(12, 1)]],
        ['bt2020', [cicp(9, 14)]],
        ['smpteC', [cicp(6, 6)]],
        ['smpte240', [cicp(7, 7)]],
        ['systemM', [cicp(4, 4)]],
        ['gamma28', [cicp(1, 5)]],
        ['dciP3', [cicp(11, 17)]],
        ['linear', [cicp(1, 8)]],
        ['linear', [gama(100_000)]],
        ['adobe', [gama(45_455), chrm(...ADOBE_POINTS)]],
      ] as const,
      2,
    ),
  )('are shown as a browser shows them: %s', async (name, chunks) => {
    expectNear(await shown(png(chunks)), inChromium(name))
  })

  itInLongSuite('may describe gray', async () => {
    for (const chunks of [[cicp(1, 8)], [gama(100_000)]])
      expectNear(grayOf(await shown(png(chunks, true))), inChromium('linearGray'))
  })

  itInLongSuite('may describe gray with 16 bits', async () => {
    const levels = PIXELS.map(([level = 0]) => level)
    const body = Buffer.from([0, ...levels.flatMap((level) => [level, level])])
    const file = oneRow({ depth: 16, isGray: true }, [gama(100_000)], body)
    for (const format of ['png', 'tiff', 'jpeg', 'webp', 'avif', 'jxl'] as const) {
      const recipe = { format, lossless: true, quality: 100 } as const
      const { bytes, losses } = await processContent('gray.png', file, recipe)
      expect(losses, format).toEqual([])
      expectNear(grayOf(await shown(bytes)), inChromium('linearGray'), 2)
    }
  })

  itInLongSuite.each([8, 16] as const)('may describe dark gray with %i bits', async (depth) => {
    const levels = [1, 2, 3, 4, 5, 6]
    const body = Buffer.from([0, ...levels.flatMap((level) => (depth === 16 ? [level, level] : [level]))])
    const file = oneRow({ depth, isGray: true }, [gama(100_000)], body)
    // As the formula of sRGB says.
    expectNear(grayOf(await shown(file)), [[13], [22], [28], [34], [38], [42]], 1)
  })

  itInLongSuite(
    'may describe gray in a format that stores gray as RGB, where the preset keeps colors',
    async () => {
      for (const format of ['webp', 'avif', 'jxl'] as const) {
        const recipe = { format, lossless: true, colour: 'keep' } as const
        const { bytes } = await processContent('gray.png', png([gama(100_000)], true), recipe)
        expectNear(grayOf(await shown(bytes)), inChromium('linearGray'), 2)
      }
    },
  )

  it('are kept as a profile if the preset keeps colors', async () => {
    const path = await photoFile('p3.png', png([cicp(12, 13)]))
    const { output, losses } = await processPhoto(path, { format: 'tiff', colour: 'keep' })
    expect(losses).toEqual([])
    expect([...(await sharp(output, { ignoreIcc: true }).raw().toBuffer())]).toEqual(PIXELS.flat())
    const converted = await sharp(output).toColourspace('srgb').raw().toBuffer()
    expectNear([[...converted]], [inChromium('p3').flat()])
  })

  it.each(
    firstOf(
      [
        ['nothing', []],
        ['sRGB', [pngChunk('sRGB', Buffer.alloc(1)), gama(45_455), chrm(...ADOBE_POINTS)]],
        ['the gamma of sRGB', [gama(45_455)]],
        ['what other programs write into sRGB files', [gama(45_455), chrm(...SRGB_POINTS)]],
        ['primaries without a curve', [chrm(...ADOBE_POINTS)]],
        ['unknown numbers', [cicp(2, 2)]],
        ['a limited range', [chunk('cICP', [12, 13, 0, 0], 1)]],
        ['a curve of zero', [gama(0)]],
        ['points on one line', [gama(100_000), chrm(1, 1, 2, 2, 3, 3)]],
        ['half a chunk', [pngChunk('gAMA', Buffer.alloc(2))]],
      ] as const,
      3,
    ),
  )('are sRGB with %s', async (_, chunks) => {
    expect(await shown(png(chunks))).toEqual(PIXELS)
  })
})

describe('colors that an AVIF specifies by numbers', () => {
  it.each(
    firstOf([
      ['p3', 12, 13],
      ['p3', 12, 1],
      ['bt2020InAvif', 9, 14],
      ['dciP3', 11, 17],
      ['linear', 1, 8],
      ['plain', 1, 1],
      ['plain', 2, 2],
    ] as const),
  )('are shown as a browser shows them: %s', async (name, primaries, transfer) => {
    const avif = await sharp(png([])).avif({ lossless: true }).toBuffer()
    const named = withColors(avif, { primaries, curve: 'pq' })
    named.writeUInt16BE(transfer, named.indexOf('nclx') + 6)
    expectNear(await shown(named, {}, 'colors.avif'), inChromium(name), 4)
  })
})

describe('colors that a HEIC specifies by numbers', () => {
  it.each(firstOf([false, true]))(
    'are those of a PNG with the same numbers, also in a grid: %s',
    async (isGrid) => {
      const shape = isGrid
        ? { tile: { width: 64, height: 64 }, columns: 2, width: 128, height: 64 }
        : { tile: { width: 128, height: 64 }, width: 128, height: 64 }
      const withNumbers = (...numbers: [number, number]) =>
        makeHeic({ ...shape, [isGrid ? 'tileProperties' : 'properties']: [colors(6, true, ...numbers)] })
      const plain = await processContent('plain.heic', withNumbers(1, 13), { format: 'png' })
      const asPng = withChunks(plain.bytes, cicp(12, 13))
      expectNear(await shown(withNumbers(12, 13), {}, 'colors.heic'), await shown(asPng))
      expectNear(await shown(withNumbers(2, 2), {}, 'colors.heic'), await shown(plain.bytes))
    },
  )
})

const deepRow = (pixels: readonly (readonly number[])[]): Buffer => {
  const row = Buffer.alloc(1 + pixels.length * 6)
  for (const [index, value] of pixels.flat().entries()) row.writeUInt16BE(value * 257, 1 + index * 2)
  return oneRow({ depth: 16, isGray: false }, [gama(45_455), chrm(...ADOBE_POINTS)], row)
}
const TO_SRGB = [
  [1.398_36, -0.398_36, 0],
  [0, 1, 0],
  [0, -0.0429, 1.0429],
] as const
/** Returns what a color of Adobe RGB is in sRGB. */
const fromAdobe = (pixel: readonly number[]): number[] => {
  const [red = 0, green = 0, blue = 0] = pixel.map((value) => (value / 255) ** 2.2)
  return TO_SRGB.map(([a, b, c]) => {
    const light = Math.max(0, Math.min(1, a * red + b * green + c * blue))
    return 255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055)
  })
}

itInLongSuite(
  'Colors that sRGB doesn’t have become the nearest ones, also in images with 16 bits per channel',
  async () => {
    const pixels = [
      [140, 248, 0],
      [10, 60, 2],
      [60, 10, 0],
      [2, 40, 60],
      [255, 0, 100],
      [16, 16, 16],
    ]
    const path = await photoFile('deep.png', deepRow(pixels))
    for (const [recipe, most] of [
      [{ format: 'png' }, 0.7],
      [{ format: 'tiff', background: '#804020' }, 0.7],
      [{ format: 'webp', lossless: true }, 3],
    ] as const) {
      const { pixels: bytes, depth, metadata } = await readRaw((await processPhoto(path, recipe)).bytes)
      const isDeep = depth === 16
      const levels = isDeep ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2) : bytes
      const shares = Array.from(levels, (level) => (isDeep ? level / 257 : level))
      const actual = pixels.map((_, index) => shares.slice(index * 3, index * 3 + 3))
      expectNear(actual, pixels.map(fromAdobe), most)
      expect(metadata.icc === undefined || isSrgbProfile(metadata.icc)).toBe(true)
    }
  },
)

const middleOf = async (image: Uint8Array) => {
  const { data, info } = await rawOf(sharp(image).removeAlpha())
  const at = 3 * (info.width >> 1)
  return [[...data.subarray(at, at + 3)]]
}

itInLongSuite('The window shows the colors of images with 16 bits per channel', async () => {
  const pixel = [140, 248, 60]
  const expected = [fromAdobe(pixel)]
  const path = await photoFile('plain.png', deepRow(PIXELS.map(() => pixel)))
  expectNear(await middleOf(await makeThumbnail({ path, pixels: 16 })), expected, 6)
  await using preview = createImagePreview()
  for (const colour of ['srgb', 'keep'] as const) {
    const { output } = await processPhoto(path, { format: 'png', colour })
    const recipe = ImageRecipe.parse({ format: 'png', colour })
    const shownBoth = await preview.whole({ path, recipe, result: output })
    for (const side of [shownBoth.before, shownBoth.after]) expectNear(await middleOf(side), expected, 3)
  }
})

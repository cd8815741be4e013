import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { parseBmp } from '../../../src/media/image/bmp.ts'
import { profileOf } from '../../../src/media/image/matrix-profile.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { processContent, usePhotoFolder, writeLongs } from './process-photo.ts'

usePhotoFolder()

type Parts = {
  width: number
  height: number
  bits: number
  compression?: number
  palette?: number[][]
  masks?: number[]
  pixels: number[]
}

/** A bitmap with a 40-byte header, or 56 bytes if there are four masks. */
function bitmap({ width, height, bits, compression = 0, palette = [], masks = [], pixels }: Parts): Buffer {
  const headerSize = masks.length === 4 ? 56 : 40
  const header = Buffer.alloc(14 + headerSize)
  header.write('BM')
  writeLongs(header, { 14: headerSize, 30: compression, 46: palette.length })
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(bits, 28)
  const maskBytes = Buffer.alloc(masks.length * 4)
  for (const [index, mask] of masks.entries()) maskBytes.writeUInt32LE(mask >>> 0, index * 4)
  if (headerSize === 56) maskBytes.copy(header, 54)
  const colors = Buffer.from(palette.flatMap(([red = 0, green = 0, blue = 0]) => [blue, green, red, 0]))
  const before = Buffer.concat([header, ...(headerSize === 40 ? [maskBytes] : []), colors])
  before.writeUInt32LE(before.length, 10)
  return Buffer.concat([before, Buffer.from(pixels)])
}

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]
const decoded = (parts: Parts) => [...parseBmp(bitmap(parts)).pixels]

/** Parses a 32-bit bitmap with these values in the fourth channel of its pixels. */
const withLast = (alphas: number[]) =>
  parseBmp(bitmap({ width: 2, height: 1, bits: 32, pixels: alphas.flatMap((alpha) => [0, 0, 9, alpha]) }))

const RLE8 = 1
const RLE4 = 2
const RGB565 = { compression: 3, masks: [0xf800, 0x07e0, 0x001f] }
const WITH_ALPHA = { compression: 3, masks: [0xff0000, 0xff00, 0xff, 0xff000000] }
const TWO = { palette: [RED, GREEN] }
const THREE = { palette: [RED, GREEN, BLUE] }
/** Runs, ends of rows, three literal pixels padded to four, and a jump by two pixels. */
const RUNS = [2, 0, 1, 2, 0, 0, 0, 3, 1, 0, 1, 0, 0, 0, 0, 2, 2, 0, 1, 1, 0, 1]

describe('a bitmap', () => {
  it.each<[string, [number, number, number], Partial<Parts>, number[], number[][]]>([
    [
      'of 1 bit has the two colors of its palette',
      [3, 1, 1],
      TWO,
      [0b10100000, 0, 0, 0],
      [GREEN, RED, GREEN],
    ],
    ['has its rows from the bottom', [1, 2, 1], TWO, [0, 0, 0, 0, 0x80, 0, 0, 0], [GREEN, RED]],
    ['of 4 bits has two pixels per byte', [3, 1, 4], THREE, [0x01, 0x20, 0, 0], [RED, GREEN, BLUE]],
    ['with a negative height starts at the top', [1, -2, 8], TWO, [0, 0, 0, 0, 1, 0, 0, 0], [RED, GREEN]],
    ['of 16 bits has five bits per color', [2, 1, 16], {}, [0, 0x7c, 0xe0, 3], [RED, GREEN]],
    ['with masks 5-6-5 reaches full white', [2, 1, 16], RGB565, [255, 255, 31, 0], [WHITE, BLUE]],
    ['of 24 bits has padded rows', [1, 2, 24], {}, [255, 0, 0, 0, 0, 0, 255, 0], [RED, BLUE]],
    ['of 32 bits has no transparency', [1, 1, 32], {}, [0, 255, 0, 0], [GREEN]],
    ['with an alpha mask and empty alpha is opaque', [1, 1, 32], WITH_ALPHA, [3, 2, 1, 0], [[1, 2, 3]]],
    ['with an alpha mask keeps alpha', [1, 1, 32], WITH_ALPHA, [0, 0, 255, 128], [[...RED, 128]]],
    [
      'in RLE8 has runs, literal pixels, ends of rows and jumps',
      [3, 3, 8],
      { ...THREE, compression: RLE8 },
      RUNS,
      [RED, RED, GREEN, GREEN, RED, GREEN, RED, RED, BLUE],
    ],
    [
      'in RLE4 alternates the two colors of a run',
      [5, 1, 4],
      { ...THREE, compression: RLE4 },
      [3, 0x12, 2, 0x00, 0, 1],
      [GREEN, BLUE, GREEN, RED, RED],
    ],
  ])('%s', (_, [width, height, bits], more, pixels, colors) => {
    expect(decoded({ width, height, bits, ...more, pixels })).toEqual(colors.flat())
  })

  it('of 32 bits without masks is transparent if its fourth channel looks like alpha', () => {
    expect([...withLast([0, 255]).pixels]).toEqual([9, 0, 0, 0, 9, 0, 0, 255])
    for (const [first, last] of [
      [0, 0],
      [205, 205],
      [1, 2],
      [255, 255],
    ] as const)
      expect([...withLast([first, last]).pixels]).toEqual([9, 0, 0, 9, 0, 0])
  })

  it('in RLE8 with a negative height starts with its top row', () => {
    const parts = { width: 2, bits: 8, compression: RLE8, ...TWO, pixels: [2, 0, 0, 0, 2, 1, 0, 1] }
    expect(decoded({ ...parts, height: -2 })).toEqual([RED, RED, GREEN, GREEN].flat())
    expect(decoded({ ...parts, height: 2 })).toEqual([GREEN, GREEN, RED, RED].flat())
  })

  it('in RLE8 may lack its end marker, but not pixels', () => {
    const parts = { width: 2, height: 2, bits: 8, compression: 1, palette: [RED, GREEN] }
    expect(decoded({ ...parts, pixels: [2, 0, 0, 0, 2, 1] })).toEqual([GREEN, GREEN, RED, RED].flat())
    expect(() => decoded({ ...parts, pixels: [2, 0, 0, 0, 1, 1] })).toThrow(/incomplete/)
  })

  it('from OS/2, with a 12-byte header and 3-byte palette entries, is decoded too', () => {
    const header = Buffer.alloc(26)
    header.write('BM')
    writeLongs(header, { 10: 32, 14: 12 })
    for (const place of [18, 20, 22, 24]) header.writeUInt16LE(1, place)
    const file = Buffer.concat([header, Buffer.from([0, 0, 255, 0, 255, 0]), Buffer.from([0x80, 0, 0, 0])])
    expect([...parseBmp(file).pixels]).toEqual(GREEN)
  })
})

/** Display P3. */
const P3 = {
  primaries: { white: [0.3127, 0.329], red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] },
  curve: [2.2],
} as const

/** A single pixel behind a BITMAPV4 or BITMAPV5 header. */
function withColors(
  colors: number | Buffer,
  { points = [], gamma = 0 }: { readonly points?: readonly number[]; readonly gamma?: number } = {},
): Buffer {
  const size = Buffer.isBuffer(colors) ? 124 : 108
  const header = Buffer.alloc(14 + size)
  header.write('BM')
  writeLongs(header, { 10: header.length, 14: size, 18: 1, 22: 1, 26: 1 + 24 * 65_536 })
  for (const [index, value] of points.entries())
    header.writeInt32LE(Math.round(value * 2 ** 30), 74 + index * 4)
  for (const at of [110, 114, 118]) header.writeUInt32LE(Math.round(gamma * 65_536), at)
  const pixel = Buffer.from([60, 200, 250, 0])
  if (!Buffer.isBuffer(colors)) {
    header.writeUInt32LE(colors, 70)
    return Buffer.concat([header, pixel])
  }
  header.write('DEBM', 70)
  writeLongs(header, { 126: size + pixel.length, 130: colors.length })
  return Buffer.concat([header, pixel, colors])
}

describe('the colors of a bitmap', () => {
  const profile = profileOf(P3) ?? Buffer.alloc(0)
  const SRGB_POINTS = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]
  const P3_POINTS = [0.68, 0.32, 0, 0.265, 0.69, 0.045, 0.15, 0.06, 0.79]

  it('are those of its embedded profile', async () => {
    expect(parseBmp(withColors(profile)).metadata.icc?.equals(profile)).toBe(true)
    const made = await processContent('p3.bmp', withColors(profile), { format: 'png', colour: 'srgb' })
    // As CSS Color 4 converts it: red is beyond sRGB.
    const [red = 0, green = 0, blue = 0] = await sharp(made.bytes).raw().toBuffer()
    expect([red, Math.abs(green - 198) <= 3, blue < 40]).toEqual([255, true, true])
    const kept = await processContent('p3.bmp', withColors(profile), { format: 'png', colour: 'keep' })
    expect((await sharp(kept.bytes).metadata()).icc?.equals(profile)).toBe(true)
  })

  it('may be given by chromaticities and gamma', () => {
    const { icc } = parseBmp(withColors(0, { points: P3_POINTS, gamma: 2.2 })).metadata
    expect(icc?.equals(profile)).toBe(true)
  })

  it.each([
    ['if the header names sRGB', withColors(0x73_52_47_42)],
    ['if the chromaticities are those of sRGB', withColors(0, { points: SRGB_POINTS, gamma: 2.2 })],
    ['if the fields are empty', withColors(0)],
    ['if the gamma is impossible', withColors(0, { points: P3_POINTS, gamma: 4_000 })],
    ['if the profile is in another file', withColors(0x4c_49_4e_4b)],
    ['if the profile is damaged', withColors(Buffer.alloc(200, 7))],
  ])('are sRGB %s', (_, file) => {
    expect(parseBmp(file).metadata.icc).toBeUndefined()
  })
})

it('a bitmap becomes a PNG with the same pixels if only its metadata is removed', async () => {
  const pixels = Array.from({ length: 48 }, (_, at) => at * 5)
  const file = bitmap({ width: 8, height: 2, bits: 24, pixels })
  for (const metadata of ['strip', 'strip-location'] as const) {
    const { bytes, extension } = await processContent('a.bmp', file, { quality: 92, metadata })
    expect(extension).toBe('png')
    expect(await sharp(bytes).raw().toBuffer()).toEqual(Buffer.from(parseBmp(file).pixels))
  }
})

describe('an invalid bitmap', () => {
  const good = bitmap({ width: 4, height: 4, bits: 24, pixels: Array.from({ length: 48 }, () => 7) })

  it('is refused if truncated anywhere', () => {
    for (let length = 0; length < good.length; length++)
      expect(() => parseBmp(good.subarray(0, length)), `${length} bytes`).toThrow(FailureError)
  })

  it('with a false size is refused before memory is allocated', () => {
    const size = { width: 60_000, height: 60_000 }
    const file = bitmap({ ...size, bits: 8, compression: RLE8, palette: [RED], pixels: [0, 1] })
    expect(() => parseBmp(file)).toThrow(
      'The image is too large: 60000 × 60000 is 3,600 megapixels, and the limit is 134.',
    )
  })

  it('with any single byte changed is either decoded or refused cleanly', () => {
    const pixels = [4, 1, 0, 0, 0, 3, 1, 0, 1, 0, 0, 2, 1, 1, 2, 1, 0, 1]
    const rle = bitmap({ width: 4, height: 4, bits: 8, compression: RLE8, ...TWO, pixels })
    for (const file of [good, rle])
      for (let at = 0; at < file.length; at++) {
        // Skips the upper bytes of width and height, because valid run lengths may leave most of a huge image empty, which is slow.
        if ([20, 21, 24, 25].includes(at)) continue
        for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
          const changed = Buffer.from(file)
          changed[at] = value
          try {
            const made = parseBmp(changed)
            expect(made.pixels.length).toBe(made.width * made.height * made.channels)
          } catch (error) {
            expect(error).toBeInstanceOf(FailureError)
          }
        }
      }
  })
})

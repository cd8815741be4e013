import { describe, expect, it } from 'vitest'
import { parseBmp } from '../../../src/media/image/bmp.ts'
import { ProcessingError } from '../../../src/media/protocol.ts'

type Parts = {
  width: number
  height: number
  bits: number
  compression?: number
  palette?: number[][]
  masks?: number[]
  pixels: number[]
}

/** A bitmap with a 40-byte header, or with 56 bytes where there are four masks. */
function bitmap({ width, height, bits, compression = 0, palette = [], masks = [], pixels }: Parts): Buffer {
  const headerSize = masks.length === 4 ? 56 : 40
  const header = Buffer.alloc(14 + headerSize)
  header.write('BM')
  header.writeUInt32LE(headerSize, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(bits, 28)
  header.writeUInt32LE(compression, 30)
  header.writeUInt32LE(palette.length, 46)
  const maskBytes = Buffer.alloc(masks.length * 4)
  for (const [index, mask] of masks.entries()) maskBytes.writeUInt32LE(mask >>> 0, index * 4)
  if (headerSize === 56) maskBytes.copy(header, 54)
  const colours = Buffer.from(palette.flatMap(([red = 0, green = 0, blue = 0]) => [blue, green, red, 0]))
  const before = Buffer.concat([header, ...(headerSize === 40 ? [maskBytes] : []), colours])
  before.writeUInt32LE(before.length, 10)
  return Buffer.concat([before, Buffer.from(pixels)])
}

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]
const decoded = (parts: Parts) => [...parseBmp(bitmap(parts)).data]

/** With these in the fourth channel of its pixels. */
const withLast = (alphas: number[]) =>
  parseBmp(
    bitmap({
      width: alphas.length,
      height: 1,
      bits: 32,
      pixels: alphas.flatMap((alpha) => [0, 0, 9, alpha]),
    }),
  )

describe('a bitmap', () => {
  it('of 1 bit takes its two colours from the palette, rows from the bottom', () => {
    const parts = {
      width: 3,
      height: 2,
      bits: 1,
      palette: [RED, BLUE],
      pixels: [0b10100000, 0, 0, 0, 0b01000000, 0, 0, 0],
    }
    expect(decoded(parts)).toEqual([RED, BLUE, RED, BLUE, RED, BLUE].flat())
  })

  it('of 4 bits has two pixels in a byte', () => {
    const parts = { width: 3, height: 1, bits: 4, palette: [RED, GREEN, BLUE], pixels: [0x01, 0x20, 0, 0] }
    expect(decoded(parts)).toEqual([RED, GREEN, BLUE].flat())
  })

  it('of 8 bits with a negative height begins with its top row', () => {
    const parts = { width: 1, height: -2, bits: 8, palette: [RED, GREEN], pixels: [0, 0, 0, 0, 1, 0, 0, 0] }
    expect(decoded(parts)).toEqual([RED, GREEN].flat())
  })

  it('of 16 bits without masks has five bits a colour', () => {
    const parts = { width: 2, height: 1, bits: 16, pixels: [0x00, 0x7c, 0xe0, 0x03] }
    expect(decoded(parts)).toEqual([RED, GREEN].flat())
  })

  it('of 16 bits with masks 5-6-5 reaches full white', () => {
    const parts = {
      width: 2,
      height: 1,
      bits: 16,
      compression: 3,
      masks: [0xf800, 0x07e0, 0x001f],
      pixels: [0xff, 0xff, 0x1f, 0x00],
    }
    expect(decoded(parts)).toEqual([WHITE, BLUE].flat())
  })

  it('of 24 bits has padded rows of blue, green, red', () => {
    const parts = { width: 1, height: 2, bits: 24, pixels: [255, 0, 0, 0, 0, 0, 255, 0] }
    expect(decoded(parts)).toEqual([RED, BLUE].flat())
  })

  it('of 32 bits without masks has no transparency', () => {
    const parts = { width: 1, height: 1, bits: 32, pixels: [0, 255, 0, 0] }
    expect(decoded(parts)).toEqual(GREEN)
  })

  it('of 32 bits without masks is transparent where its fourth channel looks like it', () => {
    expect([...withLast([0, 255]).data]).toEqual([9, 0, 0, 0, 9, 0, 0, 255])
    for (const alphas of [
      [0, 0],
      [205, 205],
      [1, 2],
      [255, 255],
    ])
      expect([...withLast(alphas).data]).toEqual([9, 0, 0, 9, 0, 0])
  })

  it('with an alpha mask and nothing in it is opaque', () => {
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000]
    const parts = { width: 1, height: 1, bits: 32, compression: 3, masks, pixels: [3, 2, 1, 0] }
    expect(decoded(parts)).toEqual([1, 2, 3])
  })

  it('of 32 bits with an alpha mask keeps it', () => {
    const parts = {
      width: 1,
      height: 1,
      bits: 32,
      compression: 3,
      masks: [0xff, 0xff00, 0xff0000, 0xff000000],
      pixels: [255, 0, 0, 128],
    }
    expect(decoded(parts)).toEqual([...RED, 128])
  })

  it('in RLE8 has runs, plain pixels, ends of rows and jumps', () => {
    const pixels = [2, 1, 1, 2, 0, 0, 0, 3, 2, 1, 2, 0, 0, 0, 0, 2, 2, 0, 1, 1, 0, 1]
    const parts = { width: 3, height: 3, bits: 8, compression: 1, palette: [WHITE, RED, BLUE], pixels }
    expect(decoded(parts)).toEqual([WHITE, WHITE, RED, BLUE, RED, BLUE, RED, RED, BLUE].flat())
  })

  it('in RLE8 with a negative height begins with its top row', () => {
    const parts = {
      width: 2,
      bits: 8,
      compression: 1,
      palette: [RED, GREEN],
      pixels: [2, 0, 0, 0, 2, 1, 0, 1],
    }
    expect(decoded({ ...parts, height: -2 })).toEqual([RED, RED, GREEN, GREEN].flat())
    expect(decoded({ ...parts, height: 2 })).toEqual([GREEN, GREEN, RED, RED].flat())
  })

  it('in RLE8 may lack the mark of its end, and no pixels', () => {
    const parts = { width: 2, height: 2, bits: 8, compression: 1, palette: [RED, GREEN] }
    expect(decoded({ ...parts, pixels: [2, 0, 0, 0, 2, 1] })).toEqual([GREEN, GREEN, RED, RED].flat())
    expect(() => decoded({ ...parts, pixels: [2, 0, 0, 0, 1, 1] })).toThrow(/break off/)
  })

  it('in RLE4 alternates the two colours of a run', () => {
    const parts = {
      width: 5,
      height: 1,
      bits: 4,
      compression: 2,
      palette: [RED, GREEN, BLUE],
      pixels: [3, 0x12, 2, 0x00, 0, 1],
    }
    expect(decoded(parts)).toEqual([GREEN, BLUE, GREEN, RED, RED].flat())
  })

  it('from OS/2 with its 12-byte header and 3-byte palette is read too', () => {
    const header = Buffer.alloc(26)
    header.write('BM')
    header.writeUInt32LE(32, 10)
    header.writeUInt32LE(12, 14)
    header.writeUInt16LE(1, 18)
    header.writeUInt16LE(1, 20)
    header.writeUInt16LE(1, 22)
    header.writeUInt16LE(1, 24)
    const file = Buffer.concat([header, Buffer.from([0, 0, 255, 0, 255, 0]), Buffer.from([0x80, 0, 0, 0])])
    expect([...parseBmp(file).data]).toEqual(GREEN)
  })
})

describe('a bitmap that lies', () => {
  const good = bitmap({ width: 4, height: 4, bits: 24, pixels: Array.from({ length: 48 }, () => 7) })

  it('is refused wherever it is cut off', () => {
    for (let length = 0; length < good.length; length++)
      expect(() => parseBmp(good.subarray(0, length)), `${length} bytes`).toThrow(ProcessingError)
  })

  it('about its size is refused before memory is taken', () => {
    const file = bitmap({
      width: 60_000,
      height: 60_000,
      bits: 8,
      compression: 1,
      palette: [RED],
      pixels: [0, 1],
    })
    expect(() => parseBmp(file)).toThrow(/3,600 megapixels.*limit/)
  })

  it('with any single byte changed is decoded or refused, never worse', () => {
    const rle = bitmap({
      width: 4,
      height: 4,
      bits: 8,
      compression: 1,
      palette: [RED, BLUE],
      pixels: [4, 1, 0, 0, 0, 3, 1, 0, 1, 0, 0, 2, 1, 1, 2, 1, 0, 1],
    })
    for (const file of [good, rle])
      for (let at = 0; at < file.length; at++) {
        // The upper bytes of width and height: honest run lengths may leave most of a huge picture out, which is slow.
        if ([20, 21, 24, 25].includes(at)) continue
        for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
          const changed = Buffer.from(file)
          changed[at] = value
          try {
            const { data, width, height, channels } = parseBmp(changed)
            expect(data.length).toBe(width * height * channels)
          } catch (error) {
            expect(error).toBeInstanceOf(ProcessingError)
          }
        }
      }
  })
})

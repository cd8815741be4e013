/**
 * Files that would cost far more memory or time than their size suggests. Watched folders and thumbnails open such files without a
 * click.
 */
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { box } from '../media/image/make-heic.ts'
import { MOST_GROWTH, MOST_MS, parsed } from './fuzz/parsed.ts'
import { firstOf } from './long-suite.ts'

const u8 = (...values: number[]) => Buffer.from(values)
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8(value >> 8, value & 255)))
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))
const text = (letters: string) => Buffer.from(letters, 'latin1')
const fullBox = (type: string, version: number, ...parts: readonly Buffer[]) =>
  box(type, u8(version, 0, 0, 0), ...parts)
const times = (count: number, one: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => one(index)))

const heif = (...boxes: readonly Buffer[]) =>
  Buffer.concat([
    box('ftyp', text('heic'), u32(0), text('mif1heic')),
    fullBox('meta', 0, fullBox('pitm', 0, u16(1)), ...boxes),
  ])

/** Item locations with zero-width fields, so that each extent takes no bytes. */
const freeExtents = () =>
  heif(
    fullBox(
      'iloc',
      0,
      u16(0),
      u16(2_000),
      times(2_000, (item) => u16(item, 0, 65_535)),
    ),
  )

/** Item references, each of which claims the rest of the file. */
const endlessReferences = () =>
  Buffer.concat([
    heif(
      fullBox(
        'iref',
        0,
        times(12_000, () => box('dimg', u16(1, 65_535))),
      ),
    ),
    Buffer.alloc(140_000),
  ])

/** Two million items without properties, at five bytes each. */
const manyOwners = () =>
  heif(box('iprp', box('ipco'), fullBox('ipma', 1, u32(2_000_000), entriesOf(2_000_000, 5))))

/** Returns entries of zeros that each start with their own index. */
function entriesOf(count: number, bytes: number): Buffer {
  const entries = Buffer.alloc(count * bytes)
  for (let entry = 0; entry < count; entry++) entries.writeUInt32BE(entry, entry * bytes)
  return entries
}

/** A grid of 65,025 tiles. Each has two extents that together are as long as the file. */
const tilesOf = (length: number) =>
  Buffer.concat([
    heif(
      fullBox(
        'iinf',
        0,
        u16(2),
        fullBox('infe', 2, u16(1, 0), text('grid\0')),
        fullBox('infe', 2, u16(2, 0), text('hvc1\0')),
      ),
      fullBox(
        'iloc',
        1,
        u8(0x44, 0),
        u16(2),
        Buffer.concat([u16(1, 1, 0, 1), u32(0, 8)]),
        Buffer.concat([u16(2, 0, 0, 2), u32(0, length, 0, length)]),
      ),
      box('idat', u8(0, 0, 254, 254), u16(4096, 4096)),
      box(
        'iprp',
        box('ipco', fullBox('ispe', 0, u32(4096, 4096)), box('hvcC', Buffer.alloc(23))),
        fullBox('ipma', 0, u32(2), u16(1), u8(1, 1), u16(2), u8(2, 1, 2)),
      ),
      fullBox(
        'iref',
        1,
        box(
          'dimg',
          u32(1),
          u16(65_025),
          times(65_025, () => u32(2)),
        ),
      ),
    ),
  ])
const largeTiles = () => tilesOf(Math.floor(tilesOf(0).length / 2))

/** Many auxiliary images that share a type string of one megabyte. */
const longPurposes = () =>
  heif(
    box(
      'iprp',
      box('ipco', fullBox('auxC', 0, Buffer.alloc(1_000_000, 0x61))),
      fullBox('ipma', 0, u32(1), u16(2), u8(1, 1)),
    ),
    fullBox(
      'iref',
      0,
      times(20_000, () => box('auxl', u16(2, 1, 1))),
    ),
  )

const packed = (type: string, bytes: number) =>
  box('brob', text(type), brotliCompressSync(Buffer.alloc(bytes)))
/** Each box decompresses to 60 MB. */
const jpegXl = (type: string) => () => {
  const one = packed(type, 60_000_000)
  return Buffer.concat([text('\0\0\0\x0cJXL \r\n\x87\n'), times(90, () => one)])
}

function tiff(count: number, entry: (index: number) => Buffer, data: Buffer): Buffer {
  const table = Buffer.concat([u16(count), times(count, entry), u32(0)])
  return Buffer.concat([text('MM\0*'), u32(8), table, data])
}

/** 65,535 fields that all refer to the same megabyte. */
const largeFields = (tag: (index: number) => number) => () =>
  tiff(65_535, (index) => Buffer.concat([u16(tag(index), 1), u32(1_000_000, 8)]), Buffer.alloc(300_000))

/** A pixel with four billion separate channels. */
const manyChannels = () =>
  tiff(
    5,
    (index) =>
      [
        Buffer.concat([u16(256, 3), u32(1), u16(1, 0)]),
        Buffer.concat([u16(257, 3), u32(1), u16(1, 0)]),
        Buffer.concat([u16(277, 4), u32(1, 0xffff_fff0)]),
        Buffer.concat([u16(284, 3), u32(1), u16(2, 0)]),
        Buffer.concat([u16(322, 3), u32(1), u16(16, 0)]),
      ][index] ?? Buffer.alloc(12),
    Buffer.alloc(0),
  )

/** Two extremely long rows in Lab, with no pixel data. */
const missingPixels = () =>
  tiff(
    8,
    (index) =>
      Buffer.concat(
        [
          [u16(256, 4), u32(1, 8_000_000)],
          [u16(257, 4), u32(1, 2)],
          [u16(258, 1), u32(4), u8(8, 8, 8, 8)],
          [u16(259, 3), u32(1), u16(1, 0)],
          [u16(262, 3), u32(1), u16(8, 0)],
          [u16(273, 4), u32(1, 8)],
          [u16(277, 3), u32(1), u16(4, 0)],
          [u16(279, 4), u32(1, 100)],
        ][index] ?? [],
      ),
    Buffer.alloc(100),
  )

const emptySegments = () =>
  Buffer.concat([u8(0xff, 0xd8), times(1_000_000, () => u8(0xff, 0xe1, 0, 2)), u8(0xff, 0xda, 0, 0)])

const straySegments = () =>
  Buffer.concat([u8(0xff, 0xd8), times(1_000_000, () => u8(0, 0xff, 0xe1, 0, 2)), u8(0xff, 0xda, 0, 0)])

/** A list of images that all refer to the same image, which has many segments. */
const manyImages = () => {
  const entries = 4_000
  const head = [text('MM\0*'), u32(8), u16(1), u16(0xb002, 7), u32(entries * 16, 26), u32(0)]
  const end = 26 + entries * 16
  const list = Buffer.concat([text('MPF\0'), ...head, times(entries, () => u32(0, 400_000, end, 0))])
  const behind = Buffer.concat([u8(0xff, 0xd8), times(100_000, () => u8(0xff, 0xe1, 0, 2))])
  return Buffer.concat([u8(0xff, 0xd8, 0xff, 0xe2), u16(list.length + 2), list, behind])
}

/** A 100-megapixel bitmap whose run-length data ends at once. */
function blankBitmap(): Buffer {
  const file = Buffer.alloc(54 + 1024 + 2, 0x40)
  file.write('BM')
  for (const [at, value] of [file.length - 2, 40, 10_000, 10_000].entries())
    file.writeUInt32LE(value, 10 + at * 4)
  for (const [at, value] of [1, 8, 1, 0].entries()) file.writeUInt16LE(value, 26 + at * 2)
  file.writeUInt32LE(256, 46)
  file.writeUInt16BE(1, file.length - 2)
  return file
}

describe('a hostile file', () => {
  const files: readonly [string, string, () => Buffer][] = [
    ['BMP', 'of a hundred megapixels', blankBitmap],
    ['odd TIFF', 'with billions of channels', manyChannels],
    ['HEIF boxes', 'whose extents cost no bytes', freeExtents],
    ['HEIF boxes', 'whose references exceed their box', endlessReferences],
    ['HEIF boxes', 'with properties for millions of items', manyOwners],
    ['HEIF boxes', 'whose tiles are all the whole file', largeTiles],
    ['HEIF boxes', 'whose auxiliary images share one huge type string', longPurposes],
    ['JPEG XL boxes', 'with dozens of compressed Exif boxes', jpegXl('Exif')],
    ['JPEG XL boxes', 'with dozens of compressed XMP boxes', jpegXl('xml ')],
    ['odd TIFF', 'with a million values in every field', largeFields((index) => index)],
    ['odd TIFF', 'with a million values in one field, repeatedly', largeFields(() => 273)],
    ['odd TIFF', 'without any pixels for its endless rows', missingPixels],
    ['JPEG segments', 'of a million empty segments', emptySegments],
    ['JPEG segments', 'of a million segments with stray bytes between them', straySegments],
    ['gain map of a JPEG', 'that lists itself as thousands of images', manyImages],
  ]
  it.each(firstOf(files, 2))('causes no excessive memory or time: %s, %s', async (parser, _, make) => {
    const { slowestMs, grownBytes, surprises } = await parsed(parser, make())
    expect(surprises).toEqual([])
    expect(slowestMs).toBeLessThan(MOST_MS)
    expect(grownBytes).toBeLessThan(MOST_GROWTH)
  })
})

/** Small files that ask decoders for far more memory or time than their size suggests. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { box } from '../media/image/make-heic.ts'

const u8 = (...values: number[]) => Buffer.from(values)
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8((value >> 8) & 255, value & 255)))
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))
const le16 = (...values: number[]) =>
  Buffer.concat(values.map((value) => u8(value & 255, (value >> 8) & 255)))
const le24 = (value: number) => u8(value & 255, (value >> 8) & 255, (value >> 16) & 255)
const le32 = (...values: number[]) => Buffer.concat(values.map((value) => le16(value & 0xffff, value >>> 16)))
const text = (letters: string) => Buffer.from(letters, 'latin1')
const times = (count: number, one: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => one(index)))
const fullBox = (type: string, version: number, ...parts: readonly Buffer[]) =>
  box(type, u8(version, 0, 0, 0), ...parts)

/** A small file with a large effect. */
export type Bomb = { readonly name: string; readonly make: () => Buffer | Promise<Buffer> }

const PHOTO = { create: { width: 16, height: 16, channels: 3, background: '#808080' } } as const

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat([text(type), ...parts])
  return Buffer.concat([u32(body.length - 4), body, u32(crc32(body))])
}

/** @param color depth and color type */
function png(width: number, height: number, rows: Buffer, more: readonly Buffer[] = [], color = [8, 0]) {
  const head = chunk('IHDR', u32(width, height), u8(...color, 0, 0, 0))
  const end = [chunk('IDAT', rows), chunk('IEND')]
  return Buffer.concat([text('\x89PNG\r\n\x1a\n'), head, ...more, ...end])
}

const onePixel = () => deflateSync(u8(0, 0))
const zeros = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * 1_000_000), { level: 9 })
const many = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one)

/** Segments of a JPEG after its start, in a valid image. */
async function jpegWith(segments: Buffer): Promise<Buffer> {
  const jpeg = await sharp(PHOTO).jpeg().toBuffer()
  return Buffer.concat([jpeg.subarray(0, 2), segments, jpeg.subarray(2)])
}

const segment = (marker: number, body: Buffer) =>
  Buffer.concat([u8(0xff, marker), u16(body.length + 2), body])

/** A progressive JPEG that repeats its last scan. */
async function scanBomb(scans: number, width: number, height: number): Promise<Buffer> {
  const jpeg = await sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .jpeg({ progressive: true })
    .toBuffer()
  const last = jpeg.lastIndexOf(u8(0xff, 0xda))
  const scan = jpeg.subarray(last, jpeg.length - 2)
  return Buffer.concat([jpeg.subarray(0, last), ...many(scans, scan), jpeg.subarray(-2)])
}

/** Writes another size into a JPEG, whose pixels then end early. */
async function jpegClaiming(width: number, height: number, progressive: boolean): Promise<Buffer> {
  const jpeg = await sharp(PHOTO).jpeg({ progressive }).toBuffer()
  const frame = jpeg.indexOf(u8(0xff, progressive ? 0xc2 : 0xc0))
  jpeg.writeUInt16BE(height, frame + 5)
  jpeg.writeUInt16BE(width, frame + 7)
  return jpeg
}

function gif(frames: number, width: number, height: number): Buffer {
  const head = Buffer.concat([
    text('GIF89a'),
    le16(width, height),
    u8(0x80, 0, 0),
    u8(0, 0, 0, 255, 255, 255),
  ])
  const frame = Buffer.concat([u8(0x2c), le16(0, 0, 1, 1), u8(0), u8(2, 2, 0x44, 1, 0)])
  return Buffer.concat([head, ...many(frames, frame), u8(0x3b)])
}

async function webpAnimation(frames: number, width: number, height: number): Promise<Buffer> {
  const still = (
    await sharp({ create: { ...PHOTO.create, width: 2, height: 2 } })
      .webp({ lossless: true })
      .toBuffer()
  ).subarray(12)
  const part = (type: string, body: Buffer) => Buffer.concat([text(type), le32(body.length), body])
  const frame = part('ANMF', Buffer.concat([le24(0), le24(0), le24(1), le24(1), le24(40), u8(0), still]))
  const body = Buffer.concat([
    text('WEBP'),
    part('VP8X', Buffer.concat([u8(2, 0, 0, 0), le24(width - 1), le24(height - 1)])),
    part('ANIM', Buffer.alloc(6)),
    ...many(frames, frame),
  ])
  return part('RIFF', body)
}

type Entry = readonly [tag: number, type: number, count: number, value: number]
const GRAY: readonly Entry[] = [
  [256, 3, 1, 1],
  [257, 3, 1, 1],
  [258, 3, 1, 8],
  [259, 3, 1, 1],
  [262, 3, 1, 1],
  [273, 4, 1, 8],
  [277, 3, 1, 1],
  [278, 3, 1, 1],
  [279, 4, 1, 1],
]

const directory = (entries: readonly Entry[], next: number) =>
  Buffer.concat([
    le16(entries.length),
    ...entries.map(([tag, type, count, value]) =>
      Buffer.concat([le16(tag, type), le32(count), type === 3 && count === 1 ? le16(value, 0) : le32(value)]),
    ),
    le32(next),
  ])

/** Pages that each are one pixel. */
function tiffChain(pages: number, entries: readonly Entry[] = GRAY): Buffer {
  const length = 2 + entries.length * 12 + 4
  const page = (index: number) => directory(entries, index === pages - 1 ? 0 : 8 + (index + 1) * length)
  return Buffer.concat([text('II*\0'), le32(8), times(pages, page)])
}

const le64 = (value: number) => le32(value, 0)

function bigTiffChain(pages: number): Buffer {
  const page = (index: number) =>
    Buffer.concat([le64(0), le64(index === pages - 1 ? 0 : 16 + (index + 1) * 16)])
  return Buffer.concat([text('II+\0'), le16(8, 0), le64(16), times(pages, page)])
}

const tiffWith = (...changed: readonly Entry[]) => {
  const tags = new Map([...GRAY, ...changed].map((entry) => [entry[0], entry]))
  return tiffChain(
    1,
    [...tags.values()].toSorted(([a], [b]) => a - b),
  )
}

/** A page of one strip that was packed, of pixels that are all zero. */
function packedTiff(width: number, height: number): Buffer {
  const data = deflateSync(Buffer.alloc(width * 1_000))
  const strips = Math.ceil(height / 1_000)
  const entries: Entry[] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, 8],
    [259, 3, 1, 8],
    [262, 3, 1, 1],
    [273, 4, strips, 0],
    [277, 3, 1, 1],
    [278, 3, 1, 1_000],
    [279, 4, strips, 0],
  ]
  const at = 8 + 2 + entries.length * 12 + 4
  const placed = entries.map((entry): Entry =>
    entry[0] === 273 ? [273, 4, strips, at] : entry[0] === 279 ? [279, 4, strips, at + strips * 4] : entry,
  )
  return Buffer.concat([
    text('II*\0'),
    le32(8),
    directory(placed, 0),
    ...many(strips, le32(at + strips * 8)),
    ...many(strips, le32(data.length)),
    data,
  ])
}

const nested = (type: string, depth: number): Buffer => {
  const heads = Array.from({ length: depth }, (_, index) =>
    Buffer.concat([u32((depth - index) * 8), text(type)]),
  )
  return Buffer.concat(heads)
}

const heifFile = (brand: string, ...boxes: readonly Buffer[]) =>
  Buffer.concat([
    box('ftyp', text(brand), u32(0), text(`mif1${brand}`)),
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), text('pict'), u32(0, 0, 0), u8(0)),
      fullBox('pitm', 0, u16(1)),
      ...boxes,
    ),
  ])

/** A grid of tiles that all are the same coded image. */
async function gridOf(brand: 'avif' | 'heic', rows: number, columns: number, side: number): Promise<Buffer> {
  const avif = await sharp({ create: { width: side, height: side, channels: 3, background: '#808080' } })
    .avif()
    .toBuffer()
  const av1C = avif.indexOf('av1C')
  const coding = avif.subarray(av1C - 4, av1C - 4 + avif.readUInt32BE(av1C - 4))
  const data = avif.subarray(avif.indexOf('mdat') + 4)
  const tile = brand === 'avif' ? 'av01' : 'hvc1'
  const grid = Buffer.concat([u8(0, 1, rows - 1, columns - 1), u32(columns * side, rows * side)])
  const count = rows * columns
  const items = Buffer.concat([
    fullBox('infe', 2, u16(1, 0), text('grid\0')),
    times(count, (index) => fullBox('infe', 2, u16(2 + index, 0), text(`${tile}\0`))),
  ])
  const build = (at: number) =>
    heifFile(
      brand,
      fullBox('iinf', 1, u32(count + 1), items),
      fullBox(
        'iloc',
        1,
        u8(0x44, 0),
        u16(count + 1),
        u16(1, 1, 0, 1),
        u32(0, grid.length),
        times(count, (index) => Buffer.concat([u16(2 + index, 0, 0, 1), u32(at, data.length)])),
      ),
      box('idat', grid),
      box(
        'iprp',
        box(
          'ipco',
          fullBox('ispe', 0, u32(columns * side, rows * side)),
          fullBox('ispe', 0, u32(side, side)),
          brand === 'avif' ? coding : box('hvcC', Buffer.alloc(23)),
          fullBox('pixi', 0, u8(3, 8, 8, 8)),
        ),
        fullBox(
          'ipma',
          0,
          u32(count + 1),
          u16(1),
          u8(2, 1, 4),
          times(count, (index) => Buffer.concat([u16(2 + index), u8(3, 2, 0x83, 4)])),
        ),
      ),
      fullBox(
        'iref',
        0,
        box(
          'dimg',
          u16(1, count),
          times(count, (index) => u16(2 + index)),
        ),
      ),
    )
  return Buffer.concat([build(build(0).length + 8), box('mdat', data)])
}

/** An ICC profile with this many tags, which all share one table. */
function profile(tags: number, table: Buffer): Buffer {
  const at = 128 + 4 + tags * 12
  const head = Buffer.alloc(128)
  head.writeUInt32BE(at + table.length, 0)
  head.write('lcms\x04\x30\0\0mntrRGB XYZ ', 4, 'latin1')
  head.write('acsp', 36, 'latin1')
  head.writeUInt32BE(0xf6d6, 68)
  head.writeUInt32BE(0x10000, 72)
  head.writeUInt32BE(0xd32d, 76)
  const names = ['A2B0', 'B2A0', 'A2B1', 'B2A1', 'desc', 'wtpt', 'cprt']
  const list = times(tags, (index) =>
    Buffer.concat([text(names[index] ?? `t${String(index).padStart(3, '0')}`), u32(at, table.length)]),
  )
  return Buffer.concat([head, u32(tags), list, table])
}
/** A table of 255 points for each of 15 channels, without any of them. */
const hugeTable = () =>
  Buffer.concat([
    text('mft2\0\0\0\0'),
    u8(3, 3, 255, 0),
    Buffer.alloc(36),
    u16(4096, 4096),
    Buffer.alloc(2_000_000),
  ])

const profileChunks = (icc: Buffer) => {
  const parts: Buffer[] = []
  const count = Math.ceil(icc.length / 65_000)
  for (let part = 0; part < count; part++)
    parts.push(
      segment(
        0xe2,
        Buffer.concat([
          text('ICC_PROFILE\0'),
          u8(part + 1, count),
          icc.subarray(part * 65_000, (part + 1) * 65_000),
        ]),
      ),
    )
  return Buffer.concat(parts)
}

function rleBitmap(width: number, height: number, codes: Buffer): Buffer {
  const head = Buffer.alloc(54 + 1024)
  head.write('BM')
  head.writeUInt32LE(head.length, 10)
  for (const [at, value] of [40, width, height].entries()) head.writeUInt32LE(value, 14 + at * 4)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(8, 28)
  head.writeUInt32LE(1, 30)
  return Buffer.concat([head, codes])
}

export const PHOTO_BOMBS: readonly Bomb[] = [
  {
    name: 'text-1000x8.png',
    make: () => png(1, 1, onePixel(), many(1_000, chunk('zTXt', text('a\0\0'), zeros(7)))),
  },
  { name: 'text-1x500.png', make: () => png(1, 1, onePixel(), [chunk('zTXt', text('a\0\0'), zeros(500))]) },
  {
    name: 'itxt-200x8.png',
    make: () =>
      png(1, 1, onePixel(), many(200, chunk('iTXt', text('XML:com.adobe.xmp\0\x01\0\0\0'), zeros(7)))),
  },
  {
    name: 'plain-text-200k.png',
    make: () => png(1, 1, onePixel(), many(200_000, chunk('tEXt', text('a\0b')))),
  },
  { name: 'profile-500.png', make: () => png(1, 1, onePixel(), [chunk('iCCP', text('a\0\0'), zeros(500))]) },
  { name: 'exif-50.png', make: () => png(1, 1, onePixel(), [chunk('eXIf', Buffer.alloc(50_000_000))]) },
  { name: 'huge-empty.png', make: () => png(16_000, 16_000, onePixel(), [], [16, 6]) },
  {
    name: 'huge-interlaced.png',
    make: () =>
      Buffer.concat([
        text('\x89PNG\r\n\x1a\n'),
        chunk('IHDR', u32(16_000, 16_000), u8(16, 6, 0, 0, 1)),
        chunk('IDAT', onePixel()),
        chunk('IEND'),
      ]),
  },
  { name: 'row.png', make: () => png(268_000_000, 1, deflateSync(Buffer.alloc(33_500_001)), [], [1, 0]) },
  { name: 'column.png', make: () => png(1, 268_000_000, deflateSync(Buffer.alloc(536_000_000)), [], [1, 0]) },
  { name: 'empty-chunks.png', make: () => png(1, 1, onePixel(), many(500_000, chunk('IDAT'))) },
  { name: 'chain-1500.tiff', make: () => tiffChain(1_500) },
  { name: 'chain-of-big-tiff.tiff', make: () => bigTiffChain(100_000) },
  { name: 'loop.tiff', make: () => Buffer.concat([text('II*\0'), le32(8), directory(GRAY, 8)]) },
  {
    name: 'counts.tiff',
    make: () => tiffWith([700, 7, 0xffff_fff0, 8], [34_675, 7, 0x7fff_ffff, 8], [34_665, 4, 0x3fff_ffff, 8]),
  },
  {
    name: 'strips.tiff',
    make: () => tiffWith([273, 4, 0x3fff_ffff, 8], [279, 4, 0x3fff_ffff, 8], [257, 4, 1, 200_000_000]),
  },
  { name: 'huge.tiff', make: () => tiffWith([256, 4, 1, 16_000], [257, 4, 1, 16_000], [278, 4, 1, 16_000]) },
  { name: 'wide.tiff', make: () => tiffWith([256, 4, 1, 100_000_000], [257, 4, 1, 2]) },
  {
    name: 'tiles.tiff',
    make: () =>
      tiffWith(
        [256, 4, 1, 16_000],
        [257, 4, 1, 16_000],
        [322, 4, 1, 16],
        [323, 4, 1, 16],
        [324, 4, 1, 8],
        [325, 4, 1, 1],
      ),
  },
  { name: 'packed.tiff', make: () => packedTiff(16_000, 16_000) },
  { name: 'frames-1000000.gif', make: () => gif(1_000_000, 1, 1) },
  { name: 'frames-200.gif', make: () => gif(200, 1_000, 1_000) },
  { name: 'huge.gif', make: () => gif(1, 65_535, 4_000) },
  { name: 'frames-100000.gif', make: () => gif(100_000, 1, 1) },
  { name: 'frames-10000.gif', make: () => gif(10_000, 1, 1) },
  { name: 'frames-100000.webp', make: () => webpAnimation(100_000, 2, 2) },
  { name: 'frames-10000.webp', make: () => webpAnimation(10_000, 100, 100) },
  { name: 'grid-10000.avif', make: () => gridOf('avif', 100, 100, 64) },
  { name: 'grid-65025.avif', make: () => gridOf('avif', 255, 255, 64) },
  { name: 'grid-10000.heic', make: () => gridOf('heic', 100, 100, 64) },
  { name: 'nested.heic', make: () => heifFile('heic', nested('iprp', 100_000)) },
  { name: 'nested.avif', make: () => heifFile('avif', nested('iprp', 100_000)) },
  {
    name: 'nested-meta.avif',
    make: () => Buffer.concat([box('ftyp', text('avif'), u32(0), text('mif1avif')), nested('moov', 500_000)]),
  },
  { name: 'segments.jpg', make: () => jpegWith(Buffer.concat(many(1_000_000, segment(0xe5, u8())))) },
  { name: 'comments.jpg', make: () => jpegWith(Buffer.concat(many(300_000, segment(0xfe, u8(65))))) },
  {
    name: 'exif.jpg',
    make: () =>
      jpegWith(
        Buffer.concat(
          many(
            300,
            segment(
              0xe1,
              Buffer.concat([text('Exif\0\0II*\0'), le32(8), le16(5_000), Buffer.alloc(60_000, 0x41)]),
            ),
          ),
        ),
      ),
  },
  {
    name: 'xmp.jpg',
    make: () =>
      jpegWith(
        Buffer.concat(
          many(
            300,
            segment(
              0xe1,
              Buffer.concat([text('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>'), Buffer.alloc(64_000, 0x3c)]),
            ),
          ),
        ),
      ),
  },
  { name: 'scans.jpg', make: () => scanBomb(5_000, 4_000, 4_000) },
  { name: 'scans-small.jpg', make: () => scanBomb(90, 16_000, 16_000) },
  { name: 'huge.jpg', make: () => jpegClaiming(65_500, 4_090, false) },
  { name: 'huge-progressive.jpg', make: () => jpegClaiming(65_500, 4_090, true) },
  { name: 'profile.jpg', make: () => jpegWith(profileChunks(profile(100, hugeTable()))) },
  { name: 'profile-tags.jpg', make: () => jpegWith(profileChunks(profile(100_000, hugeTable()))) },
  {
    name: 'profile.png',
    make: () =>
      png(1, 1, onePixel(), [chunk('iCCP', text('a\0\0'), deflateSync(profile(100, hugeTable())))], [8, 0]),
  },
  { name: 'rle.bmp', make: () => rleBitmap(11_000, 11_000, Buffer.concat(many(500_000, u8(255, 1)))) },
  { name: 'rle-rows.bmp', make: () => rleBitmap(1, 16_000_000, Buffer.concat(many(8_000_000, u8(0, 0)))) },
  { name: 'rle-outside.bmp', make: () => rleBitmap(1, 1, Buffer.concat(many(20_000_000, u8(255, 1)))) },
]

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000)
const avc = () =>
  box(
    'avc1',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(64, 64),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    box(
      'avcC',
      u8(1, 0x42, 0, 10, 255, 0xe1),
      u16(8),
      Buffer.from('6742000ada109100', 'hex'),
      u8(1),
      u16(4),
      Buffer.from('68ce3c80', 'hex'),
    ),
  )
const track = (...tables: readonly Buffer[]) =>
  box(
    'trak',
    fullBox('tkhd', 0, u32(0, 0, 1, 0, 1_000), Buffer.alloc(16), MATRIX, u32(64 << 16, 64 << 16)),
    box(
      'mdia',
      fullBox('mdhd', 0, u32(0, 0, 1_000, 1_000), u16(0x55c4, 0)),
      fullBox('hdlr', 0, u32(0), text('vide'), u32(0, 0, 0), u8(0)),
      box(
        'minf',
        fullBox('vmhd', 0, u32(0, 0)),
        box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 0))),
        box('stbl', ...tables),
      ),
    ),
  )
const movie = (tracks: readonly Buffer[]) =>
  Buffer.concat([
    box('ftyp', text('isom'), u32(0), text('isomavc1')),
    box(
      'moov',
      fullBox(
        'mvhd',
        0,
        u32(0, 0, 1_000, 1_000, 0x10000),
        u16(0x100),
        Buffer.alloc(10),
        MATRIX,
        Buffer.alloc(24),
        u32(2),
      ),
      ...tracks,
    ),
    box('mdat', Buffer.alloc(1_000)),
  ])
const stsd = () => fullBox('stsd', 0, u32(1), avc())
/** @param samples their number, which takes no bytes, because all have the same size */
const fewBytes = (samples: number, ...more: readonly Buffer[]) =>
  track(
    stsd(),
    fullBox('stts', 0, u32(1, samples, 1)),
    fullBox('stsc', 0, u32(1, 1, samples, 1)),
    fullBox('stsz', 0, u32(1, samples)),
    fullBox('stco', 0, u32(1, 48)),
    ...more,
  )
const manyEntries = (count: number) =>
  track(
    stsd(),
    fullBox('stts', 0, u32(count), Buffer.concat(many(count, u32(1, 1)))),
    fullBox('ctts', 0, u32(count), Buffer.concat(many(count, u32(1, 1)))),
    fullBox('stsc', 0, u32(1, 1, 1, 1)),
    fullBox('stsz', 0, u32(1, count)),
    fullBox('stco', 0, u32(count), Buffer.concat(many(count, u32(48)))),
  )

const ebml = (id: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat(
    [Buffer.from(id, 'hex'), u8(0x08), u32(0, body.length).subarray(1), body].map((part, index) =>
      index === 1 ? u8(0x01) : part,
    ),
  )
}
const matroska = (...parts: readonly Buffer[]) =>
  Buffer.concat([
    ebml('1a45dfa3', ebml('4282', text('matroska')), ebml('4287', u8(4)), ebml('4285', u8(2))),
    ebml(
      '18538067',
      ebml('1549a966', ebml('2ad7b1', u32(1_000_000)), ebml('4489', u32(0x447a0000))),
      ...parts,
    ),
  ])
const videoTrack = (number: number) =>
  ebml(
    'ae',
    ebml('d7', u16(number)),
    ebml('73c5', u16(number)),
    ebml('83', u8(1)),
    ebml('86', text('V_VP8')),
    ebml('e0', ebml('b0', u16(64)), ebml('ba', u16(64))),
  )
const subtitleTrack = (number: number) =>
  ebml(
    'ae',
    ebml('d7', u16(number)),
    ebml('73c5', u16(number)),
    ebml('83', u8(17)),
    ebml('86', text('S_TEXT/UTF8')),
  )
/** 255 frames without bytes in each block. */
const laced = () => ebml('a3', u8(0x81, 0, 0, 0x84), u8(255))

/** @param samples their number, which takes no bytes, because the fragment has values for all of them */
export const fragment = (samples: number) =>
  box(
    'moof',
    fullBox('mfhd', 0, u32(1)),
    box('traf', box('tfhd', u8(0, 0, 0, 0x18), u32(1, 1, 1)), box('trun', u8(0, 0, 0, 1), u32(samples, 0))),
  )

/** A movie whose samples are in fragments. */
export const fragmented = (...fragments: readonly Buffer[]) =>
  Buffer.concat([movie([fewBytes(0), box('mvex', fullBox('trex', 0, u32(1, 1, 1, 1, 0)))]), ...fragments])

export const VIDEO_BOMBS: readonly Bomb[] = [
  { name: 'samples-170m.mp4', make: () => movie([fewBytes(170_000_000)]) },
  {
    name: 'samples-20m.mp4',
    make: () => movie([fewBytes(20_000_000, fullBox('ctts', 0, u32(1, 20_000_000, 1)))]),
  },
  { name: 'samples-20m-x20.mp4', make: () => movie(many(20, fewBytes(20_000_000))) },
  { name: 'samples-20m-x3.mp4', make: () => movie(many(3, fewBytes(20_000_000))) },
  { name: 'fragment-170m.mp4', make: () => fragmented(fragment(170_000_000)) },
  { name: 'fragments-1m-x300.mp4', make: () => fragmented(...many(300, fragment(1_000_000))) },
  { name: 'fragment-in-track.mp4', make: () => movie([fewBytes(1, fragment(170_000_000))]) },
  { name: 'fragment-in-free-space.mp4', make: () => fragmented(box('free', fragment(170_000_000))) },
  {
    name: 'samples-170m-compressed.mp4',
    make: () => {
      const plain = box('moov', fewBytes(170_000_000))
      const packed = box('cmvd', u32(plain.length), deflateSync(plain))
      return Buffer.concat([
        box('ftyp', text('qt  '), u32(0), text('qt  ')),
        box('moov', box('cmov', box('dcom', text('zlib')), packed)),
      ])
    },
  },
  {
    name: 'sizes-outside-tables.mp4',
    make: () => movie([fewBytes(1), fullBox('stsz', 0, u32(1, 170_000_000))]),
  },
  { name: 'entries-100000.mp4', make: () => movie([manyEntries(100_000)]) },
  { name: 'tracks-10000.mp4', make: () => movie(many(10_000, fewBytes(1))) },
  {
    name: 'nested.mp4',
    make: () => Buffer.concat([box('ftyp', text('isom'), u32(0), text('isom')), nested('moov', 500_000)]),
  },
  {
    name: 'tracks-10000.mkv',
    make: () =>
      matroska(
        ebml(
          '1654ae6b',
          times(10_000, (index) => videoTrack(index + 1)),
        ),
      ),
  },
  {
    name: 'subtitles-10000.mkv',
    make: () =>
      matroska(
        ebml(
          '1654ae6b',
          videoTrack(1),
          times(10_000, (index) => subtitleTrack(index + 2)),
        ),
      ),
  },
  {
    name: 'laced.mkv',
    make: () =>
      matroska(
        ebml('1654ae6b', videoTrack(1)),
        ebml('1f43b675', ebml('e7', u8(0)), Buffer.concat(many(300_000, laced()))),
      ),
  },
  {
    name: 'sizes.mkv',
    make: () =>
      matroska(
        ebml('1654ae6b', videoTrack(1)),
        Buffer.concat([
          Buffer.from('1f43b67501ffffffffffff00', 'hex'),
          Buffer.from('a301ffffffffffff00', 'hex'),
          Buffer.alloc(1_000),
        ]),
      ),
  },
  {
    name: 'huge-private.mkv',
    make: () =>
      matroska(ebml('1654ae6b', videoTrack(1), Buffer.from('ae0100000000ffffff63a20100000000fffff0', 'hex'))),
  },
]

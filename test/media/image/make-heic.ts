/** Builds HEIC files for tests: tiles encoded by the FFmpeg program, wrapped in HEIF boxes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Box, boxesIn, boxIn, readFrom } from '../../../src/node/media-header/heif-boxes.ts'
import { locationsIn } from '../../../src/node/media-header/heif-items.ts'
import { words } from '../../../src/media/words.ts'

export type HeicOptions = {
  readonly tile: { readonly width: number; readonly height: number }
  readonly columns?: number
  readonly rows?: number
  /** Width of the image; the tiles may extend beyond it. */
  readonly width: number
  readonly height: number
  /** FFmpeg's name of the pixel format. Default: yuv420p. */
  readonly pixelFormat?: string
  readonly range?: 'tv' | 'pc'
  /** Default: HEVC. */
  readonly coding?: keyof typeof CODERS
  /** Complete property boxes of the image, such as `irot`, in the order of application. */
  readonly properties?: readonly Buffer[]
  /** Complete property boxes of each tile. */
  readonly tileProperties?: readonly Buffer[]
  /** Auxiliary type (URN) of a second image with the same content. Only for an image that isn't a grid. */
  readonly auxiliary?: string
  /** Whether the image has an alpha image with the same content. */
  readonly isSeeThrough?: boolean
  /** Whether the alpha image lacks the primary image's properties, as libavif leaves them out. */
  readonly alphaIsPlain?: boolean
  /** Whether the auxiliary image also has the primary image's properties, such as `irot`. */
  readonly auxiliaryIsTurned?: boolean
  /** Name of each tile's item. */
  readonly name?: string
  /** What follows the coded pixels of each tile. */
  readonly afterPixels?: Buffer
  /** Changes the configuration of the tiles: the content of `hvcC` or `av1C`. */
  readonly configure?: (parameters: Buffer) => Buffer
  /** Whether the data of each tile is in two places. */
  readonly isSplit?: boolean
  /** Complete boxes in `meta`, such as `grpl`. */
  readonly boxes?: readonly Buffer[]
  /** Complete boxes between `meta` and the data. */
  readonly beforeData?: readonly Buffer[]
  /** Whether the length of `meta` has 64 bits. */
  readonly isLong?: boolean
  /** Additional items: metadata, derived images, or images of equal rank. Only for an image that isn't a grid. */
  readonly more?: readonly HeicItem[]
}

export type HeicItem = {
  readonly type: 'Exif' | 'mime' | 'tmap' | 'hvc1' | 'iden'
  /** undefined for an item that has no data. */
  readonly data?: Buffer
  readonly reference?: { readonly type: 'cdsc' | 'dimg' | 'auxl'; readonly to: readonly number[] }
  /** Complete property boxes. */
  readonly properties?: readonly Buffer[]
}

/** Item IDs of an image that isn't a grid, and of its auxiliary image. */
export const PICTURE = 1
export const AUXILIARY = 9
const ALPHA = 10
const ALPHA_PURPOSE = 'urn:mpeg:hevc:2015:auxid:1'
/** Item ID of the first of the additional items. */
export const FIRST_MORE = 20
/** Number of the property with a tile's dimensions. */
const SIZE = 2

const u8 = (...values: number[]) => Buffer.from(values)
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8(value >> 8, value & 255)))
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))
const text = (letters: string) => Buffer.from(letters, 'latin1')

export const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), text(type), body])
}
/** Returns a box whose length has 64 bits. */
export const longBox = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(1), text(type), u32(0, body.length + 16), body])
}
const fullBox = (type: string, version: number, ...parts: readonly Buffer[]) =>
  box(type, u8(version, 0, 0, 0), ...parts)

export const turned = (quarters: number) => box('irot', u8(quarters))
export const mirrored = (axis: 0 | 1) => box('imir', u8(axis))
/** Returns a `clap` box. The offsets of its center from the image's center are in half pixels. */
export const cut = (width: number, height: number, halvesX: number, halvesY: number) =>
  box('clap', u32(width, 1, height, 1, halvesX >>> 0, 2, halvesY >>> 0, 2))
export const colors = (matrix: number, fullRange: boolean, primaries = 1, transfer = 13) =>
  box('colr', text('nclx'), u16(primaries, transfer, matrix), u8(fullRange ? 0x80 : 0))
const sizeOf = (width: number, height: number) => fullBox('ispe', 0, u32(width, height))

export function makeHeic(made: HeicOptions): Buffer {
  const { columns = 1, rows = 1, width, height, tile, properties = [], tileProperties = [], more = [] } = made
  const { configure = (bytes) => bytes, isSplit = false } = made
  const { afterPixels = u8(), name = '', boxes = [], beforeData = [], isLong = false } = made
  const { parameters, tiles: pixels } = tilesOf(made)
  const tiles = pixels.map((data) => Buffer.concat([data, afterPixels]))
  const [tileType, brand] = made.coding === 'av1' ? ['av01', 'avif'] : ['hvc1', 'heic']
  const count = columns * rows
  const isGrid = count > 1
  const grid = count + 1
  const codedProperties = [
    box(made.coding === 'av1' ? 'av1C' : 'hvcC', configure(parameters)),
    sizeOf(tile.width, tile.height),
    ...tileProperties,
  ]
  const ownProperties = isGrid ? [sizeOf(width, height), ...properties] : properties
  const auxiliaries = auxiliariesOf(made)
  const purposes = auxiliaries.map(({ purpose }) => fullBox('auxC', 0, text(`${purpose}\0`)))
  const all = [...codedProperties, ...ownProperties, ...purposes]
  const ofMore = more.map(({ properties: own = [] }) => own.map((property) => all.push(property)))
  const coded = codedProperties.map((_, index) => index + 1)
  const own = ownProperties.map((_, index) => codedProperties.length + index + 1)
  const owners = tiles.map((_, index) => ({ item: index + 1, indexes: isGrid ? coded : [...coded, ...own] }))
  if (isGrid) owners.push({ item: grid, indexes: own })
  for (const [index, { item, isRotated }] of auxiliaries.entries()) {
    const ownPurpose = codedProperties.length + ownProperties.length + index + 1
    owners.push({ item, indexes: [...coded, ...(isRotated ? own : []), ownPurpose] })
  }
  for (const [index, { type }] of more.entries()) {
    const shared = type === 'hvc1' ? coded : type === 'iden' ? [SIZE, ...own] : []
    owners.push({ item: FIRST_MORE + index, indexes: [...shared, ...(ofMore[index] ?? [])] })
  }
  const layout = Buffer.concat([u8(0, 0, rows - 1, columns - 1), u16(width, height)])
  // The tiles of a phone's photo are hidden: they aren't images in their own right.
  const entry = (item: number, type: string) => {
    const isHidden = isGrid && type !== 'grid'
    const contentType = type === 'mime' ? text('application/rdf+xml\0') : u8()
    const named = text(type === tileType ? `${name}\0` : '\0')
    return box('infe', u8(2, 0, 0, isHidden ? 1 : 0), u16(item, 0), text(type), named, contentType)
  }
  const entries = [
    ...tiles.map((_, index) => entry(index + 1, tileType)),
    ...(isGrid ? [entry(grid, 'grid')] : []),
    ...auxiliaries.map(({ item }) => entry(item, tileType)),
    ...more.map(({ type }, index) => entry(FIRST_MORE + index, type)),
  ]

  const references = [
    ...auxiliaries.map(({ item }) => box('auxl', u16(item, 1, PICTURE))),
    ...more.flatMap(({ reference }, index) =>
      reference === undefined
        ? []
        : [box(reference.type, u16(FIRST_MORE + index, reference.to.length, ...reference.to))],
    ),
  ]

  const build = (dataAt: number): Buffer => {
    let at = dataAt
    const places = tiles.map((data, index) => {
      at += data.length
      const start = at - data.length
      const stretches = isSplit ? [start, 10, start + 10, data.length - 10] : [start, data.length]
      return Buffer.concat([u16(index + 1, 0, 0, stretches.length / 2), u32(...stretches)])
    })
    for (const { item } of auxiliaries)
      places.push(Buffer.concat([u16(item, 0, 0, 1), u32(dataAt, tiles[0]?.length ?? 0)]))
    for (const [index, { data }] of more.entries()) {
      if (data === undefined) continue
      places.push(Buffer.concat([u16(FIRST_MORE + index, 0, 0, 1), u32(at, data.length)]))
      at += data.length
    }
    if (isGrid) places.push(Buffer.concat([u16(grid, 1, 0, 1), u32(0, layout.length)]))
    const meta = (isLong ? longBox : box)(
      'meta',
      u32(0),
      fullBox('hdlr', 0, u32(0), text('pict'), u32(0, 0, 0), u8(0)),
      fullBox('pitm', 0, u16(isGrid ? grid : 1)),
      fullBox('iinf', 0, u16(entries.length), ...entries),
      fullBox('iloc', 1, u8(0x44, 0), u16(places.length), ...places),
      box(
        'iprp',
        box('ipco', ...all),
        fullBox(
          'ipma',
          0,
          u32(owners.length),
          ...owners.map(({ item, indexes }) => Buffer.concat([u16(item), u8(indexes.length, ...indexes)])),
        ),
      ),
      ...(isGrid
        ? [
            fullBox('iref', 0, box('dimg', u16(grid, count, ...tiles.map((_, index) => index + 1)))),
            box('idat', layout),
          ]
        : references.length === 0
          ? []
          : [fullBox('iref', 0, ...references)]),
      ...boxes,
    )
    return Buffer.concat([box('ftyp', text(brand), u32(0), text(`mif1${brand}`)), meta, ...beforeData])
  }
  const head = build(0).length
  return Buffer.concat([build(head + 8), box('mdat', ...tiles, ...more.flatMap(({ data }) => data ?? []))])
}

/** Returns the primary image's auxiliary images with their types. */
function auxiliariesOf(made: HeicOptions) {
  const { auxiliary, auxiliaryIsTurned = false, isSeeThrough = false, alphaIsPlain = false } = made
  const second =
    auxiliary === undefined ? [] : [{ item: AUXILIARY, purpose: auxiliary, isRotated: auxiliaryIsTurned }]
  return isSeeThrough
    ? [...second, { item: ALPHA, purpose: ALPHA_PURPOSE, isRotated: !alphaIsPlain }]
    : second
}

const SEQUENCE = words(
  '-c:v libx265 -crf 8 -preset ultrafast -x265-params bframes=0:log-level=none -tag:v hvc1',
)

/** Adds a sequence of four images to a HEIC, in which each image but the first is predicted from the one before it. */
export function withSequence(heic: Buffer, { width, height }: HeicOptions['tile']): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-heic-'))
  try {
    const path = join(folder, 'sequence.mp4')
    const source = `testsrc2=size=${width}x${height}:rate=4,gblur=sigma=3,format=yuv420p`
    execFileSync('ffmpeg', words(`-v error -f lavfi -i ${source} -frames:v 4`).concat(SEQUENCE, path))
    const video = readFileSync(path)
    const top = boxesIn(video, 0, video.length)
    const [movie, data] = [inside(top, 'moov'), inside(top, 'mdat')]
    const file = Buffer.concat([
      heic,
      video.subarray(movie.start, movie.end),
      box('mdat', video.subarray(data.body, data.end)),
    ])
    file.write('hevc', 8, 'latin1')
    file.write('msf1heic', 16, 'latin1')
    const media = boxIn(file, heic.length, file.length, 'moov', 'trak', 'mdia')
    const handler = media && boxIn(file, media.body, media.end, 'hdlr')
    const places = media && boxIn(file, media.body, media.end, 'minf', 'stbl', 'stco')
    if (handler === undefined || places === undefined) throw new Error('The video has no track')
    file.write('pict', handler.body + 8, 'latin1')
    const by = heic.length + movie.end - movie.start + 8 - data.body
    for (let at = places.body + 8; at < places.end; at += 4)
      file.writeUInt32BE(file.readUInt32BE(at) + by, at)
    return file
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const CONTAINERS = words('moov trak mdia minf stbl')

/** Stores all offsets of data in 64 bits. */
export function withLongOffsets(file: Buffer): Buffer {
  const boxes = boxesIn(file, 0, file.length)
  const build = (moved: (at: number) => number): readonly Buffer[] => {
    const long = ({ type, start, body, end }: Box): Buffer => {
      if (type === 'meta')
        return box(type, file.subarray(body, body + 4), ...boxesIn(file, body + 4, end).map(long))
      if (CONTAINERS.includes(type)) return box(type, ...boxesIn(file, body, end).map(long))
      if (type === 'stco') {
        const count = file.readUInt32BE(body + 4)
        const offsets = Array.from({ length: count }, (_, index) => file.readUInt32BE(body + 8 + 4 * index))
        return box('co64', file.subarray(body, body + 8), ...offsets.map((at) => u32(0, moved(at))))
      }
      if (type !== 'iloc') return file.subarray(start, end)
      const places = [...locationsIn(file, { body, end })].map(({ item, base, extents }) => {
        const [first = 0] = extents.map(({ offset }) => offset)
        const isInFile = base === 'file'
        return Buffer.concat([
          u16(item, isInFile ? 0 : 1, 0),
          u32(0, isInFile ? moved(first) : first),
          u16(extents.length),
          ...extents.map(({ offset, length }) => u32(0, offset - first, 0, length)),
        ])
      })
      return fullBox(type, 1, u8(0x88, 0x80), u16(places.length), ...places)
    }
    return boxes.map(long)
  }
  const growths = build((at) => at).map((built, index) => {
    const { start = 0, end = 0 } = boxes[index] ?? {}
    return { start, by: built.length - (end - start) }
  })
  return Buffer.concat(
    build((at) => growths.reduce((sum, { start, by }) => (start < at ? sum + by : sum), at)),
  )
}

/** FFmpeg arguments for encoders that encode every frame independently. */
const CODERS = {
  hevc: words('-c:v libx265 -crf 8 -preset ultrafast -x265-params keyint=1:log-level=none -tag:v hvc1'),
  av1: words('-c:v libaom-av1 -crf 8 -cpu-used 8 -g 1'),
} as const

const coded = new Map<string, ReturnType<typeof codeTiles>>()

/** Encodes tiles that many files have in common only once. */
function tilesOf({
  tile,
  columns = 1,
  rows = 1,
  pixelFormat = 'yuv420p',
  range = 'tv',
  coding = 'hevc',
}: HeicOptions) {
  const shape = { tile, columns, rows, pixelFormat, range, coding }
  const key = JSON.stringify(shape)
  const found = coded.get(key) ?? codeTiles(shape)
  coded.set(key, found)
  return found
}

type TileShape = Required<Pick<HeicOptions, 'tile' | 'columns' | 'rows' | 'pixelFormat' | 'range' | 'coding'>>

/** Encodes the independent tiles of an image without hard color edges, which two decoders may render differently. */
function codeTiles({ tile, columns, rows, pixelFormat, range, coding }: TileShape) {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-heic-'))
  try {
    const video = join(folder, 'tiles.mp4')
    const count = columns * rows
    const source = `testsrc2=size=${tile.width * columns}x${tile.height * rows}:rate=1,gblur=sigma=3,format=${pixelFormat},setrange=${range}`
    const filters = count === 1 ? 'null' : `untile=${columns}x${rows}`
    const form = ['-pix_fmt', pixelFormat, '-color_range', range, '-frames:v', String(count)]
    const input = ['-v', 'error', '-f', 'lavfi', '-i', source, '-vf', filters]
    execFileSync('ffmpeg', [...input, ...form, ...CODERS[coding], video])
    return readVideo(readFileSync(video))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const inside = (boxes: readonly Box[], type: string): Box => {
  const found = boxes.find((one) => one.type === type)
  if (found === undefined) throw new Error(`The video has no ${type}`)
  return found
}

function readVideo(video: Buffer) {
  const top = boxesIn(video, 0, video.length)
  const children = (parent: Box, skip = 0) => boxesIn(video, parent.body + skip, parent.end)
  const media = children(inside(children(inside(top, 'moov')), 'trak'))
  const table = children(inside(children(inside(children(inside(media, 'mdia')), 'minf')), 'stbl'))
  // Boxes start after 78 bytes in a visual sample entry. A full box header and an entry count have 4 bytes each.
  const [sample] = children(inside(table, 'stsd'), 8)
  if (sample === undefined) throw new Error('The video has no samples')
  const parameters = inside(children(sample, 78), sample.type === 'av01' ? 'av1C' : 'hvcC')
  const sizeTable = inside(table, 'stsz')
  const sizes = readFrom(video, sizeTable.body + 4, sizeTable.end)
  const same = sizes.number(4)
  const lengths = Array.from({ length: sizes.number(4) }, () => (same === 0 ? sizes.number(4) : same))
  let at = inside(top, 'mdat').body
  const tiles = lengths.map((length) => {
    at += length
    return video.subarray(at - length, at)
  })
  return { parameters: video.subarray(parameters.body, parameters.end), tiles }
}

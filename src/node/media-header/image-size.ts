/** Reads the dimensions of photos from their headers. The pixels are never read. */
import type { Extent } from '../../shared/extent.ts'
import { type Box, readFrom } from './heif-boxes.ts'
import { readItems } from './heif-items.ts'
import { boxAt, findBox } from './iso-boxes.ts'
import { type CodestreamHeader, readCodestreamHeader } from './jpeg-xl-codestream.ts'
import type { ReadPart } from './window.ts'

type Reader = (read: ReadPart) => Promise<Extent | undefined>

const READERS: Readonly<Record<string, Reader>> = {
  jpg: jpegSize,
  png: pngSize,
  gif: gifSize,
  webp: webpSize,
  bmp: bmpSize,
  tiff: tiffSize,
  heic: heifSize,
  avif: heifSize,
  jxl: jpegXlSize,
}

/**
 * Returns the dimensions at which an image is displayed.
 * @param format the usual extension of the content
 * @returns undefined if the format or this file's header isn't known, or if the dimensions are impossible
 * @throws RangeError if the file ends before its header does
 */
export async function imageSize(format: string, read: ReadPart): Promise<Extent | undefined> {
  const size = await READERS[format]?.(read)
  return size !== undefined && isSide(size.width) && isSide(size.height) ? size : undefined
}

const isSide = (pixels: number): boolean => Number.isSafeInteger(pixels) && pixels > 0

const upright = ({ width, height }: Extent, orientation: number | undefined): Extent =>
  (orientation ?? 1) >= 5 ? { width: height, height: width } : { width, height }

async function jpegSize(read: ReadPart): Promise<Extent | undefined> {
  const found = await findJpegFrame(read)
  if (found === undefined) return undefined
  const frame = await read(found.at + 5, 4)
  return upright({ width: frame.readUInt16BE(2), height: frame.readUInt16BE(0) }, found.orientation)
}

/**
 * Finds the segment that describes the image: its position, its marker, and the orientation stated before it. Returns undefined if the
 * image data begins first.
 */
export async function findJpegFrame(read: ReadPart) {
  let orientation: number | undefined
  for await (const { at, marker } of jpegSegments(read, 2)) {
    if (marker === START_OF_SCAN) return undefined
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { at, marker, orientation }
    if (marker === 0xe1) orientation ??= await exifOrientation(read, at + 4)
  }
  return undefined
}

/** Returns how many channels the first scan of a JPEG contains. @param frame position of the segment that describes the image */
export async function channelsOfScan(read: ReadPart, frame: number): Promise<number> {
  for await (const { at, marker } of jpegSegments(read, frame))
    if (marker === START_OF_SCAN) return (await read(at + 4, 1)).readUInt8(0)
  return 0
}

const START_OF_SCAN = 0xda

async function* jpegSegments(read: ReadPart, from: number) {
  for (let at = from; ;) {
    const head = await read(at, 4)
    const marker = head.readUInt8(1)
    if (head[0] !== 0xff || NOT_MARKERS.includes(marker)) {
      at += await fillBytes(read, at)
      continue
    }
    yield { at, marker }
    at += 2 + head.readUInt16BE(2)
  }
}

/** Bytes that don't form a marker after 0xff: before another 0xff, it is a fill byte, and before 0x00, it is data. */
const NOT_MARKERS: readonly number[] = [0x00, 0xff]
/** How many fill bytes of a JPEG are read together. A file may have any number of them. */
const FILL_BYTES = 4 * 1024

/**
 * Returns how many bytes to skip until the next marker may begin. Fill bytes may precede a marker, and decoders skip other bytes too.
 * @param at position of such a byte
 */
async function fillBytes(read: ReadPart, at: number): Promise<number> {
  // The file may end earlier.
  const bytes = await read(at, FILL_BYTES).catch(() => read(at, 2))
  const isMarker = (byte: number, index: number) =>
    byte === 0xff && !NOT_MARKERS.includes(bytes[index + 1] ?? 1)
  const found = bytes.findIndex(isMarker)
  return Math.max(1, found < 0 ? bytes.length - 1 : found)
}

async function exifOrientation(read: ReadPart, at: number): Promise<number | undefined> {
  try {
    const name = await read(at, 6)
    if (name.toString('latin1') !== 'Exif\0\0') return undefined
    return (await tiffTags(read, at + 6)).get(TIFF_TAG.orientation)
  } catch {
    // A photo with damaged metadata is displayed as it is stored.
    return undefined
  }
}

export const TIFF_TAG = {
  subfileType: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  planes: 284,
  tileHeight: 323,
  subDirectories: 330,
  extraSamples: 338,
  sampleFormat: 339,
  profile: 34_675,
} as const
/** Tags with a value for each channel or extra channel. Only the first value is read, because the others are usually the same. */
const OF_CHANNELS: ReadonlySet<number> = new Set([
  TIFF_TAG.bits,
  TIFF_TAG.extraSamples,
  TIFF_TAG.sampleFormat,
])
/** Bits of NewSubfileType: a smaller copy of another image, and a mask. */
const NOT_MAIN = 1 | 4
/** Bytes per value of each type of integer. Some of them are offsets. */
const TIFF_INTEGERS: Readonly<Record<number, number>> = { 3: 2, 4: 4, 13: 4, 16: 8, 18: 8 }
/** Where the header states the first directory's offset, and the sizes of a directory's fields, in bytes. */
const TIFF_SIZES = {
  42: { first: 4, counter: 2, entry: 12, offset: 4 },
  43: { first: 8, counter: 8, entry: 20, offset: 8 },
} as const
/** Maximum number of directories to search for the main image, and of inner directories to read from each directory. */
const MOST_DIRECTORIES = 64
const MOST_INNER = 16
/** Maximum number of entries in a directory. Real directories have fewer. */
const MOST_ENTRIES = 4_096

export type TiffTags = ReadonlyMap<number, number>
type TiffDirectory = { readonly tags: TiffTags; readonly further: readonly number[] }

/**
 * Returns the first integer of each tag in the first directory, and the length of the profile. Leaves out other types and longer values,
 * except those of the channels.
 */
async function tiffTags(read: ReadPart, start: number): Promise<TiffTags> {
  const file = await tiffFile(read, start)
  return file === undefined ? new Map() : (await readDirectory(file, file.first)).tags
}

/**
 * Like `tiffTags`, but for the main image. Its directory may follow the thumbnail's directory or be inside it. Uses the first directory if
 * no other is the main image's.
 * @returns `isFirst`: whether the first directory was used
 */
export async function mainTiffImage(
  read: ReadPart,
): Promise<{ readonly tags: TiffTags; readonly isFirst: boolean }> {
  const file = await tiffFile(read, 0)
  if (file === undefined) return { tags: new Map(), isFirst: true }
  const { tags, further } = await readDirectory(file, file.first)
  if (isMainImage(tags)) return { tags, isFirst: true }
  const waiting = [...further]
  for (let searched = 0; searched < MOST_DIRECTORIES && searched < waiting.length; searched++) {
    const found = await readDirectory(file, waiting[searched] ?? 0).catch(() => undefined)
    if (found !== undefined && isMainImage(found.tags) && widthIn(found.tags) > widthIn(tags))
      return { tags: found.tags, isFirst: false }
    waiting.push(...(found?.further ?? []))
  }
  return { tags, isFirst: true }
}

const isMainImage = (tags: TiffTags): boolean => ((tags.get(TIFF_TAG.subfileType) ?? 0) & NOT_MAIN) === 0
const widthIn = (tags: TiffTags): number => tags.get(TIFF_TAG.width) ?? 0

type TiffFile = Exclude<Awaited<ReturnType<typeof tiffFile>>, undefined>

async function tiffFile(read: ReadPart, start: number) {
  const head = await read(start, 8)
  const isLittle = head.toString('latin1', 0, 2) === 'II'
  const number = (from: Buffer, at: number, width: number): number => {
    if (width === 8) return Number(isLittle ? from.readBigUInt64LE(at) : from.readBigUInt64BE(at))
    return isLittle ? from.readUIntLE(at, width) : from.readUIntBE(at, width)
  }
  const version = number(head, 2, 2)
  if (version !== 42 && version !== 43) return undefined
  const { first, ...sizes } = TIFF_SIZES[version]
  const part = (at: number, length: number) => read(start + at, length)
  return { part, number, sizes, first: number(await part(first, sizes.offset), 0, sizes.offset) }
}

async function readDirectory({ part, number, sizes }: TiffFile, at: number): Promise<TiffDirectory> {
  const { counter, entry, offset } = sizes
  // Offset 0 means no directory.
  const count = at === 0 ? 0 : number(await part(at, counter), 0, counter)
  if (count === 0 || count > MOST_ENTRIES) return { tags: new Map(), further: [] }
  const entries = await part(at + counter, count * entry)
  const tags = new Map<number, number>()
  const further: number[] = []
  for (let from = 0; from < entries.length; from += entry) {
    const [tag, type] = [number(entries, from, 2), number(entries, from + 2, 2)]
    const length = number(entries, from + 4, offset)
    const value = from + entry - offset
    const width = TIFF_INTEGERS[type]
    if (tag === TIFF_TAG.profile) tags.set(tag, length)
    if (width === undefined || length === 0) continue
    const isInside = length * width <= offset
    const isList = tag === TIFF_TAG.subDirectories
    if (!isInside && !isList && !OF_CHANNELS.has(tag)) continue
    const wanted = width * (isList ? Math.min(length, MOST_INNER) : 1)
    const values = isInside
      ? entries.subarray(value, value + wanted)
      : await part(number(entries, value, offset), wanted).catch(() => Buffer.alloc(0))
    for (let index = 0; index < values.length; index += width)
      if (isList) further.push(number(values, index, width))
      else tags.set(tag, number(values, index, width))
  }
  const next = await part(at + counter + entries.length, offset).catch(() => undefined)
  return { tags, further: next === undefined ? further : [...further, number(next, 0, offset)] }
}

async function tiffSize(read: ReadPart): Promise<Extent | undefined> {
  const { tags } = await mainTiffImage(read)
  const [width, height] = [tags.get(TIFF_TAG.width), tags.get(TIFF_TAG.height)]
  if (width === undefined || height === undefined) return undefined
  return upright({ width, height }, tags.get(TIFF_TAG.orientation))
}

async function pngSize(read: ReadPart): Promise<Extent> {
  const head = await read(16, 8)
  return { width: head.readUInt32BE(0), height: head.readUInt32BE(4) }
}

async function gifSize(read: ReadPart): Promise<Extent> {
  const head = await read(6, 4)
  return { width: head.readUInt16LE(0), height: head.readUInt16LE(2) }
}

async function bmpSize(read: ReadPart): Promise<Extent> {
  const isOld = (await read(14, 4)).readUInt32LE(0) === 12
  const head = await read(18, 8)
  return isOld
    ? { width: head.readUInt16LE(0), height: head.readUInt16LE(2) }
    : // A negative height means that the rows are stored from top to bottom.
      { width: head.readInt32LE(0), height: Math.abs(head.readInt32LE(4)) }
}

async function webpSize(read: ReadPart): Promise<Extent | undefined> {
  const head = await read(12, 18)
  switch (head.toString('latin1', 0, 4)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(14) & 0x3fff, height: head.readUInt16LE(16) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(9)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: head.readUIntLE(12, 3) + 1, height: head.readUIntLE(15, 3) + 1 }
    default:
      return undefined
  }
}

/** Maximum size of a photo's properties in bytes, far more than any real photo has. */
const MOST_META_BYTES = 4 * 1024 * 1024

async function heifSize(read: ReadPart): Promise<Extent | undefined> {
  const found = await heifItems(read)
  return found && heifExtents(found)?.visible
}

/** Returns the upright dimensions of a HEIF image: what is stored, and the part of it that is displayed. */
export function heifExtents({ content, items }: NonNullable<Awaited<ReturnType<typeof heifItems>>>) {
  const properties = items.primary === undefined ? [] : items.propertiesOf(items.primary)
  const property = (wanted: string) => properties.find(({ type }) => type === wanted)
  const extent = property('ispe')
  if (extent === undefined) return undefined
  const stored = sidesIn(content, extent.body + 4, extent.end)
  // The dimensions of the displayed part, as fractions.
  const cut = property('clap')
  const visible = cut === undefined ? stored : cutIn(content, cut)
  // The number of quarter turns.
  const rotation = property('irot')
  const isTurned = rotation !== undefined && content.readUInt8(rotation.body) % 2 === 1
  const upright = ({ width, height }: Extent) =>
    isTurned ? { width: height, height: width } : { width, height }
  return { stored: upright(stored), visible: upright(visible) }
}

/** Reads the items of a HEIF file and the box that contains them. Returns undefined if the box is missing or too large. */
export async function heifItems(read: ReadPart) {
  const meta = await boxAt(read, 0, ['meta'])
  if (meta === undefined || meta.end - meta.body > MOST_META_BYTES) return undefined
  const content = await read(meta.body, meta.end - meta.body)
  return { content, items: readItems(content, { body: 0, end: content.length }) }
}

function sidesIn(content: Buffer, from: number, end: number): Extent {
  const values = readFrom(content, from, end)
  return { width: values.number(4), height: values.number(4) }
}

function cutIn(content: Buffer, { body, end }: Box): Extent {
  const values = readFrom(content, body, end)
  const side = () => Math.floor(values.number(4) / values.number(4))
  return { width: side(), height: side() }
}

async function jpegXlSize(read: ReadPart): Promise<Extent | undefined> {
  const header = await jpegXlHeader(read)
  return header && upright(header, header.orientation)
}

/**
 * Reads the header of a codestream, or of the one in a container of boxes (ISO/IEC 18181-1, D.2 and 18181-2). Returns undefined if there is
 * none.
 */
export async function jpegXlHeader(read: ReadPart): Promise<CodestreamHeader | undefined> {
  const start = (await read(0, 2)).readUInt16BE(0)
  if (start === 0xff0a) return readCodestreamHeader(await read(2, 16))
  const parts: Buffer[] = []
  let missing = START_BYTES
  // The first box may contain only some of the needed bytes, for example in a JPEG XL made from a JPEG.
  await findBox(read, 0, Number.POSITIVE_INFINITY, async ({ type, body, end }) => {
    if (type !== 'jxlc' && type !== 'jxlp') return undefined
    // A box with a part of the codestream begins with the part's number.
    const from = type === 'jxlp' ? body + 4 : body
    const part = await read(from, Math.max(0, Math.min(missing, end - from)))
    parts.push(part)
    missing -= part.length
    return type === 'jxlc' || missing === 0 ? true : undefined
  })
  const coded = Buffer.concat(parts)
  return coded.length > 2 ? readCodestreamHeader(coded.subarray(2)) : undefined
}

/** Number of bytes that hold the signature, the dimensions, the bit depth and whether the image is animated. */
const START_BYTES = 18

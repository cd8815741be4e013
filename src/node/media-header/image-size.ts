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
 * Returns the dimensions with which an image is displayed.
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

/** Finds the segment that describes the image: its position, its marker, and the orientation stated before it. */
export async function findJpegFrame(read: ReadPart) {
  let orientation: number | undefined
  for (let at = 2; ;) {
    const head = await read(at, 4)
    const marker = head.readUInt8(1)
    // Fill bytes may precede a marker, and decoders skip other bytes too.
    if (head[0] !== 0xff || marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xda) return undefined
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { at, marker, orientation }
    if (marker === 0xe1) orientation ??= await exifOrientation(read, at + 4)
    at += 2 + head.readUInt16BE(2)
  }
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
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  tileHeight: 323,
} as const
/** Bits of NewSubfileType: a smaller copy of another image, and a mask. */
const NOT_MAIN = 1 | 4
const TIFF_SHORT = 3
const TIFF_LONG = 4

/**
 * Returns the first integer of each tag in the first directory. Leaves out values that can't be read, those of other types, and those of
 * more than two numbers.
 */
export async function tiffTags(read: ReadPart, start: number): Promise<ReadonlyMap<number, number>> {
  const head = await read(start, 8)
  const isLittle = head.toString('latin1', 0, 2) === 'II'
  const short = (from: Buffer, at: number) => (isLittle ? from.readUInt16LE(at) : from.readUInt16BE(at))
  const long = (from: Buffer, at: number) => (isLittle ? from.readUInt32LE(at) : from.readUInt32BE(at))
  const tags = new Map<number, number>()
  if (short(head, 2) !== 42) return tags
  const directory = start + long(head, 4)
  const count = short(await read(directory, 2), 0)
  const entries = await read(directory + 2, count * 12)
  for (let at = 0; at < entries.length; at += 12) {
    const type = short(entries, at + 2)
    const [tag, length] = [short(entries, at), long(entries, at + 4)]
    if (type === TIFF_SHORT && length <= 2) tags.set(tag, short(entries, at + 8))
    else if (type === TIFF_LONG && length === 1) tags.set(tag, long(entries, at + 8))
    // The channels of one image have the same depth.
    else if (tag === TIFF_TAG.bits && type === TIFF_SHORT) {
      const value = await read(start + long(entries, at + 8), 2).catch(() => undefined)
      if (value !== undefined) tags.set(tag, short(value, 0))
    }
  }
  return tags
}

async function tiffSize(read: ReadPart): Promise<Extent | undefined> {
  const tags = await tiffTags(read, 0)
  // This isn't the main image, which is elsewhere in the file.
  if (((tags.get(TIFF_TAG.subfileType) ?? 0) & NOT_MAIN) !== 0) return undefined
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
  if (found === undefined) return undefined
  const { content, items } = found
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
  return isTurned ? { width: visible.height, height: visible.width } : visible
}

/** Reads the items of a HEIF file and the box that contains them. */
export async function heifItems(read: ReadPart) {
  const meta = await boxAt(read, 0, ['meta'])
  if (meta === undefined || meta.end - meta.body > MOST_META_BYTES) return undefined
  const content = await read(meta.body, meta.end - meta.body)
  return { content, items: readItems(content, { type: 'meta', body: 0, end: content.length }) }
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

/** Reads a codestream, or a container of boxes that holds one (ISO/IEC 18181-1, D.2 and 18181-2). */
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

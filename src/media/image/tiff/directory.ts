/** Reads the directories of TIFF and BigTIFF files (TIFF 6.0, section 2), and writes a file with a single image. */
import type { FileHandle } from 'node:fs/promises'
import { readUpTo } from '../../read-part.ts'
import { valueOf, writeDirectory } from '../../metadata/exif-directories.ts'
import { BIG, BIG_VERSION, type ByteOrder, CLASSIC, readNumber, WIDTHS, writeNumber } from '../tiff-block.ts'

export const TAG = {
  subfileType: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  description: 270,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  resolutionX: 282,
  resolutionY: 283,
  planes: 284,
  resolutionUnit: 296,
  predictor: 317,
  whitePoint: 318,
  colorMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  subDirectories: 330,
  extraSamples: 338,
  sampleFormat: 339,
  leastSample: 340,
  mostSample: 341,
  jpegTables: 347,
  oldJpegOffset: 513,
  oldJpegBytes: 514,
  oldJpegRestarts: 515,
  oldJpegQuantization: 519,
  oldJpegDcTables: 520,
  oldJpegAcTables: 521,
  ycbcrWeights: 529,
  ycbcrSubsampling: 530,
  referenceBlackWhite: 532,
  xmp: 700,
  iptc: 33_723,
  exif: 34_665,
  gps: 34_853,
  interoperability: 40_965,
  missingValue: 42_113,
  photoshop: 34_377,
  profile: 34_675,
} as const

const KNOWN: ReadonlySet<number> = new Set(Object.values(TAG))

/** Tags whose values are never read as a whole. */
export const LARGE_TAG = { photoshopDocument: 37_724, contentCredentials: 52_545 } as const

/** Maximum size of all values together. Enough for a gigapixel photo's offsets and any profile. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_NUMBERS = 1_000_000
/** Maximum number of entries of a directory. A directory with more counts as unreadable. */
const MOST_ENTRIES = 4_096

export const looksLikeTiff = (head: Buffer): boolean =>
  ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.toString('latin1', 0, 4))

/** Reads numbers in the file's byte order. Offsets of BigTIFF are twice as long. */
export type TiffReader = Awaited<ReturnType<typeof tiffReader>>

export type Directory = NonNullable<Awaited<ReturnType<typeof readDirectory>>>

export type Place = { readonly at: number; readonly length: number }

export async function tiffReader(file: FileHandle) {
  const { size } = await file.stat()
  /** Reads bytes of the file, and fewer than wanted at its end. */
  const read = (at: number, wanted: number): Promise<Buffer> =>
    readUpTo(file, at, Math.max(0, Math.min(wanted, size - at)))
  const head = await read(0, 4)
  const order: ByteOrder = head[0] === 0x49 ? 'II' : 'MM'
  return {
    order,
    littleEndian: order === 'II',
    ...(head.includes(BIG_VERSION) ? BIG : CLASSIC),
    read,
    number: (bytes: Buffer, at: number, width: number) => readNumber(order, bytes, at, width),
  }
}

async function numberAt(reader: TiffReader, at: number, width: number): Promise<number> {
  const bytes = await reader.read(at, width)
  return bytes.length < width ? 0 : reader.number(bytes, 0, width)
}

/** Returns the offset of the first directory; 0 if there is none. */
export const firstDirectory = (reader: TiffReader): Promise<number> =>
  numberAt(reader, reader.offsetBytes, reader.offsetBytes)

/** Returns the offset of the directory after the one at this offset, without reading it. */
async function directoryAfter(reader: TiffReader, at: number): Promise<number> {
  const { countBytes, entryBytes, offsetBytes } = reader
  const end = at + countBytes + (await numberAt(reader, at, countBytes)) * entryBytes
  return Number.isSafeInteger(end) ? numberAt(reader, end, offsetBytes) : 0
}

/**
 * Counts the directories that follow each other, and stops after `most + 1`. libtiff compares each directory with all others, so it would
 * need minutes for a hostile file.
 */
export async function countDirectories(file: FileHandle, most: number): Promise<number> {
  const reader = await tiffReader(file)
  const seen = new Set<number>()
  let at = await firstDirectory(reader)
  while (Number.isSafeInteger(at) && at > 0 && !seen.has(at) && seen.size <= most) {
    seen.add(at)
    at = await directoryAfter(reader, at)
  }
  return seen.size
}

/** @returns undefined if there is no readable directory at this offset */
export async function readDirectory(reader: TiffReader, at: number) {
  const { countBytes: counter, entryBytes: entry, offsetBytes: offset } = reader
  const count = await numberAt(reader, at, counter)
  if (at === 0 || !Number.isSafeInteger(at) || count === 0 || count > MOST_ENTRIES) return undefined
  const table = await reader.read(at + counter, count * entry)
  const values = new Map<number, TagValue>()
  const places = new Map<number, Place>()
  let left = MOST_BYTES
  let end: number | undefined = at + counter + count * entry + offset
  for (let from = 0; from + entry <= table.length; from += entry) {
    const [tag, type] = [reader.number(table, from, 2), reader.number(table, from + 2, 2)]
    const width = WIDTHS[type] || undefined
    const length = reader.number(table, from + 4, offset) * (width ?? 0)
    const slot = from + entry - offset
    const isInside = length <= offset
    const start = isInside ? at + counter + slot : reader.number(table, slot, offset)
    places.set(tag, { at: start, length })
    end = end === undefined || width === undefined ? undefined : Math.max(end, start + length)
    if (width === undefined || !KNOWN.has(tag) || values.has(tag) || length > left) continue
    left -= length
    const bytes = isInside ? table.subarray(slot, slot + length) : await reader.read(start, length)
    values.set(tag, { type, width, bytes })
  }
  const numbers = (tag: number, most = MOST_NUMBERS) => {
    const value = values.get(tag)
    return value === undefined ? [] : numbersIn(reader, value, most)
  }
  return {
    at,
    /** Where the directory and its values end; undefined if unknown. */
    end,
    /** Offset of the next directory; 0 if there is none. */
    next: await directoryAfter(reader, at),
    /** Returns the values of a tag in `TAG`, or an empty list if the tag is missing or its values are too large. */
    numbers: (tag: number): readonly number[] => numbers(tag),
    /** Returns the first value, or `otherwise` if there is none. */
    number: (tag: number, otherwise: number): number => numbers(tag, 1)[0] ?? otherwise,
    bytes: (tag: number): Buffer | undefined => values.get(tag)?.bytes,
    /** Returns where the value of any tag is in the file. */
    place: (tag: number): Place | undefined => places.get(tag),
  }
}

type TagValue = { readonly type: number; readonly width: number; readonly bytes: Buffer }

function numbersIn(
  { littleEndian, number }: TiffReader,
  { type, width, bytes }: TagValue,
  most: number,
): readonly number[] {
  const count = Math.min(most, Math.floor(bytes.length / width))
  const at = (index: number): number => {
    const from = index * width
    // Two types of fractions, and two of floating-point numbers.
    if (type === 5 || type === 10) return number(bytes, from, 4) / number(bytes, from + 4, 4)
    if (type === 11) return littleEndian ? bytes.readFloatLE(from) : bytes.readFloatBE(from)
    if (type === 12) return littleEndian ? bytes.readDoubleLE(from) : bytes.readDoubleBE(from)
    return number(bytes, from, width)
  }
  return Array.from({ length: count }, (_, index) => at(index))
}

/** Bits of NewSubfileType: a smaller copy of another image, and a transparency mask. */
const REDUCED = 1
const MASK = 4
/** Maximum number of directories to search for the main image. */
const MOST_SEARCHED = 64

/**
 * Returns the directory of the main image, which some cameras and scanners store after a thumbnail or inside its directory.
 * @returns undefined if the file has no readable directory
 */
export async function mainDirectory(reader: TiffReader): Promise<Directory | undefined> {
  const first = await readDirectory(reader, await firstDirectory(reader))
  if (first === undefined || !isSmallerCopy(first)) return first
  const waiting = [...first.numbers(TAG.subDirectories), first.next]
  for (let searched = 0; searched < MOST_SEARCHED && searched < waiting.length; searched++) {
    const found = await readDirectory(reader, waiting[searched] ?? 0)
    if (found === undefined) continue
    if (!isSmallerCopy(found) && widthOf(found) > widthOf(first)) return found
    waiting.push(...found.numbers(TAG.subDirectories), found.next)
  }
  return first
}

const widthOf = (directory: Directory): number => directory.number(TAG.width, 0)

const isSmallerCopy = (directory: Directory): boolean =>
  (directory.number(TAG.subfileType, 0) & (REDUCED | MASK)) !== 0

/** Returns a copy of the file in which this directory is the first one. */
export function startingAt(file: Buffer, reader: TiffReader, { at }: Directory): Buffer {
  const changed = Buffer.from(file)
  writeNumber(reader.order, changed, at, reader.offsetBytes, reader.offsetBytes)
  return changed
}

const [BYTE, SHORT, LONG, RATIONAL] = [1, 3, 4, 5]
/** Types other than LONG. */
const TYPES: Readonly<Record<number, number>> = {
  [TAG.resolutionX]: RATIONAL,
  [TAG.resolutionY]: RATIONAL,
  [TAG.bits]: SHORT,
  [TAG.extraSamples]: SHORT,
}
const PARTS = 1_000

/**
 * Writes a file with a single, uncompressed strip.
 * @param pixelBytes length of the strip
 * @returns the file and the part of it to which the pixels must be written
 */
export function writeTiff(
  tags: ReadonlyMap<number, readonly number[] | Buffer>,
  pixelBytes: number,
): { readonly file: Buffer; readonly pixels: Buffer } {
  const start = 8
  const all = new Map([...tags, [TAG.stripOffsets, [start]], [TAG.stripBytes, [pixelBytes]]] as const)
  const directoryAt = start + pixelBytes + (pixelBytes % 2)
  const entries = [...all].map(([tag, values]) => {
    const type = Buffer.isBuffer(values) ? BYTE : (TYPES[tag] ?? LONG)
    const bytes = Buffer.isBuffer(values) ? values : listOf(values, type)
    return valueOf(tag, type, bytes, values.length)
  })
  const directory = writeDirectory({ order: 'II', entries }, directoryAt)
  const file = Buffer.alloc(directoryAt + directory.length)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(directoryAt, 4)
  directory.copy(file, directoryAt)
  return { file, pixels: file.subarray(start, start + pixelBytes) }
}

function listOf(values: readonly number[], type: number): Buffer {
  const numbers = type === RATIONAL ? values.flatMap((value) => [Math.round(value * PARTS), PARTS]) : values
  const width = type === SHORT ? 2 : 4
  const list = Buffer.alloc(numbers.length * width)
  for (const [index, value] of numbers.entries()) list.writeUIntLE(value, index * width, width)
  return list
}

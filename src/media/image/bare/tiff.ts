/**
 * Copies the coded pixels of a TIFF into a new file, with the tags that they need (TIFF 6.0). In a TIFF, unlike other formats, values can
 * be anywhere, so removing a tag would leave its value in the file.
 */
import { MAX_PIXELS } from '../../../shared/extent.ts'
import {
  type ExifContent,
  type ExifEntry,
  readExif,
  valueOf,
  writeDirectory,
} from '../../metadata/exif-directories.ts'
import { MOST_PAGES } from '../image-failure.ts'
import { COMPRESSION, usedBytes } from '../tiff/decompress.ts'
import { TAG } from '../tiff/directory.ts'
import { type ByteOrder, readNumber, writeNumber } from '../tiff-block.ts'
import { bareJpeg } from './jpeg.ts'

const HEAD_BYTES = 8
const [LONG, BYTES] = [4, 7]
const VERSION = 42
const ENTRY_BYTES = 12
/** Maximum size of an uncompressed block, which has to fit into memory. */
const MOST_BLOCK_BYTES = 2 ** 30

/** Tags that determine how a page's pixels look and what the page is for. */
const NEEDED: ReadonlySet<number> = new Set([
  TAG.subfileType,
  255, // the older SubfileType
  TAG.width,
  TAG.height,
  TAG.bits,
  TAG.compression,
  TAG.photometric,
  263, // conversion of gray to black and white
  264, // size of the dithering cell
  265,
  TAG.fillOrder,
  TAG.stripOffsets,
  TAG.orientation,
  TAG.samples,
  TAG.rowsPerStrip,
  TAG.stripBytes,
  280, // minimum and maximum sample value
  281,
  TAG.resolutionX,
  TAG.resolutionY,
  TAG.planes,
  290, // gray response unit and curve
  291,
  292, // fax compression options
  293,
  TAG.resolutionUnit,
  297, // page number
  301, // transfer function
  TAG.predictor,
  TAG.whitePoint,
  319, // primary chromaticities
  TAG.colorMap,
  321, // halftone hints
  TAG.tileWidth,
  TAG.tileHeight,
  TAG.tileOffsets,
  TAG.tileBytes,
  332, // ink set and number of inks
  334,
  336, // dot range
  TAG.extraSamples,
  TAG.sampleFormat,
  TAG.leastSample,
  TAG.mostSample,
  342, // transfer range
  TAG.jpegTables,
  TAG.ycbcrWeights,
  TAG.ycbcrSubsampling,
  531, // position of chroma samples
  TAG.referenceBlackWhite,
  TAG.profile,
  37_439, // luminance of a sample value
  TAG.missingValue,
  50_674, // parameters of LERC
])

/** Tags that lead to additional images, and a tag of raw photos, whose pixels depend on tags that aren't listed above. */
const UNSUPPORTED: ReadonlySet<number> = new Set([TAG.subDirectories, TAG.oldJpegOffset, 50_706])

export type BareTiff = {
  readonly file: Buffer
  /** For each page, the position of its directory's offset, and the original's header as if that page were the first. */
  readonly pages: readonly { readonly pointer: number; readonly head: Buffer }[]
}

type Page = { readonly head: Buffer; readonly content: ExifContent; readonly blocks: readonly Buffer[] }

/** Returns a file with only what its pages need; undefined if a page is incomplete, or stored in a way that isn't supported. */
export function bareTiff(file: Buffer): BareTiff | undefined {
  const order = file.toString('latin1', 0, 2) === 'MM' ? 'MM' : 'II'
  if (readNumber(order, file, 2, 2) !== VERSION) return undefined
  const pages = pagesIn(file, order)
  if (pages === undefined) return undefined
  const head = Buffer.from(file.subarray(0, HEAD_BYTES))
  const data: Buffer[] = [head]
  let end = HEAD_BYTES
  const moved = pages.map(({ content, blocks }) => {
    const offsets = blocks.map((block) => {
      if (block.length === 0) return 0
      const at = end
      data.push(block, Buffer.alloc(block.length % 2))
      end += block.length + (block.length % 2)
      return at
    })
    return withPlaces(content, offsets, blocks)
  })
  const pointers: number[] = []
  let pointer = 4
  writeNumber(order, head, end, pointer, LONG)
  for (const [index, content] of moved.entries()) {
    pointers.push(pointer)
    const { length } = writeDirectory(content, end)
    const next = index === moved.length - 1 ? 0 : end + length + (length % 2)
    data.push(writeDirectory(content, end, next), Buffer.alloc(length % 2))
    pointer = end + 2 + content.entries.length * ENTRY_BYTES
    end += length + (length % 2)
  }
  return {
    file: Buffer.concat(data),
    pages: pages.map((page, index) => ({ head: page.head, pointer: pointers[index] ?? 0 })),
  }
}

/** Returns the original as if the page's directory were the first one. */
export const beginningWith = (file: Buffer, head: Buffer) => ({
  length: file.length,
  read: (at: number, length: number): Buffer =>
    at < HEAD_BYTES
      ? Buffer.concat([head, file.subarray(HEAD_BYTES, at + length)]).subarray(at, at + length)
      : file.subarray(at, at + length),
})

function pagesIn(file: Buffer, order: ByteOrder): readonly Page[] | undefined {
  const pages: Page[] = []
  const seen = new Set<number>()
  let at = readNumber(order, file, 4, LONG)
  while (at !== 0) {
    if (seen.has(at) || seen.size === MOST_PAGES) return undefined
    seen.add(at)
    const head = Buffer.from(file.subarray(0, HEAD_BYTES))
    writeNumber(order, head, at, 4, LONG)
    const page = pageAt(file, head)
    if (page === undefined) return undefined
    pages.push(page)
    at = readNumber(order, file, at + 2 + readNumber(order, file, at, 2) * ENTRY_BYTES, LONG)
  }
  return pages.length === 0 ? undefined : pages
}

function pageAt(file: Buffer, head: Buffer): Page | undefined {
  let isSupported = true
  const content = readExif(beginningWith(file, head), (tag) => {
    if (UNSUPPORTED.has(tag)) isSupported = false
    return NEEDED.has(tag)
  })
  if (content === undefined || !isSupported) return undefined
  const numbers = (tag: number) => numbersOf(content, tag)
  if (numbers(TAG.compression)[0] === COMPRESSION.oldJpeg) return undefined
  const blocks = blocksIn(file, numbers)
  return blocks && { head, content, blocks }
}

const [SEPARATE_PLANES, YCBCR, REVERSED] = [2, 6, 2]

/**
 * Returns the strips or tiles that the page needs, without data after their pixels, which decoders ignore. Such data stays in blocks with a
 * rare compression scheme, in YCbCr, or with reversed bits in compressed data.
 * @returns undefined if a block is incomplete or can't be decompressed
 */
function blocksIn(file: Buffer, numbers: (tag: number) => readonly number[]): readonly Buffer[] | undefined {
  const number = (tag: number, otherwise: number) => numbers(tag)[0] ?? otherwise
  const [width, height, samples] = [number(TAG.width, 0), number(TAG.height, 0), number(TAG.samples, 1)]
  const isPlanar = number(TAG.planes, 1) === SEPARATE_PLANES
  const isTiled = numbers(TAG.tileOffsets).length > 0
  const across = isTiled ? number(TAG.tileWidth, 0) : width
  const down = isTiled ? number(TAG.tileHeight, 0) : Math.min(number(TAG.rowsPerStrip, height), height)
  const count = Math.ceil(width / across) * Math.ceil(height / down) * (isPlanar ? samples : 1)
  const most = down * Math.ceil((across * (isPlanar ? 1 : samples) * Math.max(1, ...numbers(TAG.bits))) / 8)
  if (!(width * height <= MAX_PIXELS && most <= MOST_BLOCK_BYTES)) return undefined
  const offsets = numbers(isTiled ? TAG.tileOffsets : TAG.stripOffsets).slice(0, count)
  const lengths = numbers(isTiled ? TAG.tileBytes : TAG.stripBytes).slice(0, count)
  if (offsets.length === 0 || offsets.length !== lengths.length) return undefined
  const compression = number(TAG.compression, COMPRESSION.none)
  const isPlain = compression === COMPRESSION.none
  // Several pixels may share their chroma. Reversed bits don't matter without compression.
  const isUnusual =
    number(TAG.photometric, 0) === YCBCR || (number(TAG.fillOrder, 1) === REVERSED && !isPlain)
  const blocks = offsets.map((at, index) => {
    const length = lengths[index] ?? 0
    const block = file.subarray(at, at + length)
    // Some programs don't store all blocks: the offset and the length of the others are 0.
    if (at === 0 && length === 0) return block
    if (at === 0 || length === 0 || block.length < length) return undefined
    if (compression === COMPRESSION.jpeg) return bareJpeg(block)
    const used = isUnusual ? block.length : usedBytes(compression, block, most)
    return used === undefined ? undefined : block.subarray(0, used)
  })
  return blocks.every((block) => block !== undefined) ? blocks : undefined
}

/** Returns the directory with new offsets and lengths of its strips or tiles, and with only what the tables of a JPEG need. */
function withPlaces(
  { order, entries }: ExifContent,
  offsets: readonly number[],
  blocks: readonly Buffer[],
): ExifContent {
  const lengths = blocks.map(({ length }) => length)
  const longs = (tag: number, values: readonly number[]) => {
    const bytes = Buffer.alloc(values.length * LONG)
    for (const [index, value] of values.entries()) writeNumber(order, bytes, value, index * LONG, LONG)
    return valueOf(tag, LONG, bytes, values.length)
  }
  return {
    order,
    entries: entries.map((entry): ExifEntry => {
      const { tag } = entry
      if (tag === TAG.stripOffsets || tag === TAG.tileOffsets) return longs(tag, offsets)
      if (tag === TAG.stripBytes || tag === TAG.tileBytes) return longs(tag, lengths)
      const tables = tag === TAG.jpegTables && entry.kind === 'value' ? bareJpeg(entry.bytes) : undefined
      return tables === undefined ? entry : valueOf(tag, BYTES, tables)
    }),
  }
}

function numbersOf({ order, entries }: ExifContent, wanted: number): readonly number[] {
  const entry = entries.find(({ tag }) => tag === wanted)
  if (entry?.kind !== 'value') return []
  const width = entry.type === LONG ? 4 : 2
  return Array.from({ length: Math.min(entry.count, Math.floor(entry.bytes.length / width)) }, (_, index) =>
    readNumber(order, entry.bytes, index * width, width),
  )
}

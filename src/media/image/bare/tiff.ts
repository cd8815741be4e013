/**
 * Copies the coded pixels of a TIFF into a new file, with the tags that they need (TIFF 6.0). In a TIFF, unlike other formats, values can
 * be anywhere, so removing a tag would leave its value in the file.
 */
import {
  type ExifContent,
  type ExifEntry,
  readExif,
  writeDirectory,
} from '../../metadata/exif-directories.ts'
import { MOST_PAGES } from '../image-failure.ts'
import { COMPRESSION } from '../tiff/decompress.ts'
import { TAG } from '../tiff/directory.ts'
import { type ByteOrder, readNumber, writeNumber } from '../tiff-block.ts'

const HEAD_BYTES = 8
const LONG = 4
const VERSION = 42
const ENTRY_BYTES = 12

/** Tags that determine how the pixels look and what their pages are for. */
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
      const at = end
      data.push(block, Buffer.alloc(block.length % 2))
      end += block.length + (block.length % 2)
      return at
    })
    return withOffsets(content, offsets)
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
  const isTiled = numbers(TAG.tileOffsets).length > 0
  const offsets = numbers(isTiled ? TAG.tileOffsets : TAG.stripOffsets)
  const lengths = numbers(isTiled ? TAG.tileBytes : TAG.stripBytes)
  if (offsets.length === 0 || offsets.length !== lengths.length) return undefined
  const blocks = offsets.map((at, index) => file.subarray(at, at + (lengths[index] ?? 0)))
  const isWhole = blocks.every((block, index) => block.length === lengths[index])
  return isWhole ? { head, content, blocks } : undefined
}

function withOffsets({ order, entries }: ExifContent, offsets: readonly number[]): ExifContent {
  const bytes = Buffer.alloc(offsets.length * LONG)
  for (const [index, at] of offsets.entries()) writeNumber(order, bytes, at, index * LONG, LONG)
  return {
    order,
    entries: entries.map((entry): ExifEntry =>
      entry.tag === TAG.stripOffsets || entry.tag === TAG.tileOffsets
        ? { tag: entry.tag, kind: 'value', type: LONG, count: offsets.length, bytes }
        : entry,
    ),
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

/** Reads and writes the directories of Exif (CIPA DC-008) and TIFF, which store values in the same way. */

import { unlessTooShort } from '../image/image-failure.ts'
import {
  BIG,
  BIG_VERSION,
  type ByteOrder,
  CLASSIC,
  readNumber,
  WIDTHS,
  writeNumber,
} from '../image/tiff-block.ts'

export type ExifEntry = { readonly tag: number } & (
  | { readonly kind: 'value'; readonly type: number; readonly count: number; readonly bytes: Buffer }
  | { readonly kind: 'directory'; readonly entries: readonly ExifEntry[] }
)

/** Values in the byte order of the block that they were read from. */
export type ExifContent = { readonly order: ByteOrder; readonly entries: readonly ExifEntry[] }

export const valueOf = (tag: number, type: number, bytes: Buffer, count = bytes.length) =>
  ({ tag, kind: 'value', type, count, bytes }) as const

export const EXIF_TAG = {
  xmp: 0x02bc,
  iptc: 0x83bb,
  photoshop: 0x8649,
  exif: 0x8769,
  gps: 0x8825,
  interoperability: 0xa005,
} as const

/** Tags whose value is the offset of a directory that describes the photo. */
const NESTED: ReadonlySet<number> = new Set([EXIF_TAG.exif, EXIF_TAG.gps, EXIF_TAG.interoperability])

/** Bytes per number, by type code. A fraction consists of two numbers. */
const NUMBER_BYTES: readonly number[] = [1, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4]

const HEAD_BYTES = 8
const ENTRY_BYTES = CLASSIC.entryBytes
const DIRECTORY_TYPE = 4
/** Maximum number of entries to read, which Exif can't reach. A hostile file may repeat directories. */
const MOST_ENTRIES = 4_096

/** Random access to a block or a file. Returns fewer bytes at the end. */
export type ByteSource = ReturnType<typeof bytesOf>

export const bytesOf = (block: Buffer) => ({
  length: block.length,
  read: (at: number, length: number): Buffer => block.subarray(at, at + length),
})

/**
 * Reads the first directory and those in it. Omits directories that can't be read.
 * @param isWanted decides which entries of the first directory are read
 * @param most maximum number of bytes of all values together. Values of a hostile file may overlap
 * @returns undefined if the source isn't a TIFF structure
 * @throws RangeError if the first directory ends early, has too many entries, or has values that are larger than allowed
 */
export function readExif(
  source: ByteSource,
  isWanted: (tag: number) => boolean = () => true,
  most = source.length,
): ExifContent | undefined {
  const head = source.read(0, 16)
  const order = head.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return undefined
  const number = (bytes: Buffer, at: number, width: number) => readNumber(order, bytes, at, width)
  const { countBytes, entryBytes, offsetBytes } = number(head, 2, 2) === BIG_VERSION ? BIG : CLASSIC
  const seen = new Set<number>()
  let [room, left] = [most, MOST_ENTRIES]
  function directory(start: number, isNested: boolean): readonly ExifEntry[] {
    if (seen.has(start)) return []
    seen.add(start)
    const count = number(source.read(start, countBytes), 0, countBytes)
    left -= count
    if (left < 0) throw new RangeError('The directories have too many entries')
    const table = source.read(start + countBytes, count * entryBytes)
    if (table.length < count * entryBytes) throw new RangeError('The directory ends early')
    return Array.from({ length: count }, (_, index) => index * entryBytes).flatMap((at): ExifEntry[] => {
      const [tag, type] = [number(table, at, 2), number(table, at + 2, 2)]
      if (!isNested && !isWanted(tag)) return []
      const values = number(table, at + 4, offsetBytes)
      const place = at + 4 + offsetBytes
      if (NESTED.has(tag)) {
        const inside = unlessTooShort(() => directory(number(table, place, offsetBytes), true))
        return inside === undefined ? [] : [{ tag, kind: 'directory', entries: inside }]
      }
      const length = (WIDTHS[type] ?? 0) * values
      if (length === 0 || type > 13) return []
      room -= length
      if (room < 0) throw new RangeError('The values are larger than the file')
      const bytes =
        length <= offsetBytes
          ? table.subarray(place, place + length)
          : source.read(number(table, place, offsetBytes), length)
      return bytes.length < length ? [] : [{ tag, kind: 'value', type, count: values, bytes }]
    })
  }
  return { order, entries: directory(number(head, offsetBytes, offsetBytes), false) }
}

/** Converts all values to another byte order. Maker notes stay as they are. */
export function inOrder({ order, entries }: ExifContent, wanted: ByteOrder): ExifContent {
  if (order === wanted) return { order, entries }
  const swapped = (all: readonly ExifEntry[]): readonly ExifEntry[] =>
    all.map((entry) => {
      if (entry.kind === 'directory') return { ...entry, entries: swapped(entry.entries) }
      const bytes = Buffer.from(entry.bytes)
      const width = entry.tag === USER_COMMENT ? 1 : (NUMBER_BYTES[entry.type] ?? 1)
      if (entry.tag === USER_COMMENT && isUtf16(bytes)) bytes.subarray(8).swap16()
      if (width === 2) bytes.swap16()
      if (width === 4) bytes.swap32()
      if (width === 8) bytes.swap64()
      return { ...entry, bytes }
    })
  return { order: wanted, entries: swapped(entries) }
}

const USER_COMMENT = 0x9286
/** Returns whether a comment is UTF-16. Only UTF-16 depends on the byte order. A character code precedes the text. */
const isUtf16 = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 8) === 'UNICODE\0' && bytes.length % 2 === 0

/**
 * Joins the Exif blocks of a file. Programs may have added a second block or split a long one. Takes each tag from the first block that has
 * it. Only the first block's orientation is kept, because decoders ignore any other.
 */
export function joinExif(parts: readonly Buffer[]): Buffer | undefined {
  const blocks: Buffer[] = []
  for (const part of parts) {
    const isRest = blocks.length > 0 && !/^(?:II|MM)/.test(part.toString('latin1', 0, 2))
    blocks.push(isRest ? Buffer.concat([blocks.pop() ?? part, part]) : part)
  }
  const contents = blocks.map((block) => unlessTooShort(() => readExif(bytesOf(block))))
  const order = contents.find((content) => content !== undefined)?.order
  if (order === undefined || blocks.length === 1) return blocks[0]
  const lists = contents.map((content, index) => {
    const entries = content === undefined ? [] : inOrder(content, order).entries
    return index === 0 ? entries : entries.filter((entry) => !turnsPicture(entry, order))
  })
  const entries = merged(lists.flat())
  // Maker notes stay readable only at their original offset, so return an unchanged block if one has all entries.
  const whole = contents.findIndex((content) => content && countOf(content.entries) === countOf(entries))
  return blocks[whole] ?? writeExif({ order, entries })
}

const ORIENTATION = 0x0112

const turnsPicture = (entry: ExifEntry, order: ByteOrder): boolean =>
  entry.tag === ORIENTATION && entry.kind === 'value' && entry.bytes[order === 'II' ? 0 : 1] !== 1

const merged = (entries: readonly ExifEntry[]): readonly ExifEntry[] =>
  [...Map.groupBy(entries, ({ tag }) => tag).values()].flatMap((same) => {
    const [first] = same
    if (first?.kind !== 'directory') return first ?? []
    const inside = same.flatMap((entry) => (entry.kind === 'directory' ? entry.entries : []))
    return { ...first, entries: merged(inside) }
  })

const countOf = (entries: readonly ExifEntry[]): number =>
  entries.reduce((sum, entry) => sum + 1 + (entry.kind === 'directory' ? countOf(entry.entries) : 0), 0)

export function writeExif(content: ExifContent): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(content.order, 0, 'latin1')
  writeNumber(content.order, head, 42, 2, 2)
  writeNumber(content.order, head, HEAD_BYTES, 4, 4)
  return Buffer.concat([head, writeDirectory(content, HEAD_BYTES)])
}

/**
 * Returns a directory with its values and the directories in it.
 * @param start offset at which the directory will be
 * @param next offset of the directory that follows it
 */
export function writeDirectory({ order, entries }: ExifContent, start: number, next = 0): Buffer {
  const table = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4)
  const contents: Buffer[] = []
  let end = start + table.length
  writeNumber(order, table, entries.length, 0, 2)
  for (const [index, entry] of entries.toSorted((one, other) => one.tag - other.tag).entries()) {
    const at = 2 + index * ENTRY_BYTES
    const isDirectory = entry.kind === 'directory'
    writeNumber(order, table, entry.tag, at, 2)
    writeNumber(order, table, isDirectory ? DIRECTORY_TYPE : entry.type, at + 2, 2)
    writeNumber(order, table, isDirectory ? 1 : entry.count, at + 4, 4)
    const content = isDirectory ? writeDirectory({ order, entries: entry.entries }, end) : entry.bytes
    if (!isDirectory && content.length <= 4) {
      content.copy(table, at + 8)
      continue
    }
    writeNumber(order, table, end, at + 8, 4)
    contents.push(content, Buffer.alloc(content.length % 2))
    end += content.length + (content.length % 2)
  }
  writeNumber(order, table, next, table.length - 4, 4)
  return Buffer.concat([table, ...contents])
}

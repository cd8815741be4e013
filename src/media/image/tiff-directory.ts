/** Reads the first directory of a TIFF file (TIFF 6.0, section 2), and writes a changed directory for the same data. */
import type { FileHandle } from 'node:fs/promises'

export const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  stripBytes: 279,
  planes: 284,
  predictor: 317,
  tileWidth: 322,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegOffset: 513,
  jpegBytes: 514,
  profile: 34_675,
} as const

/** Further tags that a decoder needs for decompression. All others are ignored. */
const OTHER_NEEDED: readonly number[] = [
  266, // FillOrder
  278, // RowsPerStrip
  292, // T4Options
  293, // T6Options
  320, // ColorMap
  323, // TileLength
  347, // JPEGTables
  530, // YCbCrSubSampling
  50_674, // LercParameters
]
const NEEDED: ReadonlySet<number> = new Set([...Object.values(TAG), ...OTHER_NEEDED])

/** Integer values by tag. Contains only the tags that are needed. */
export type Directory = ReadonlyMap<number, readonly number[]>

export type TiffHead = { readonly littleEndian: boolean; readonly directory: Directory }

/** Bytes per value, by type code: BYTE, SHORT, LONG, UNDEFINED. */
const WIDTHS: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4, 7: 1 }
const LONG = 4
const ENTRY_BYTES = 12
/** The version of BigTIFF, in which numbers and entries are larger. */
const BIG_TIFF = 43
/** Maximum number of values in all tags together. Enough for a gigapixel photo's offsets. */
const MOST_VALUES = 1_000_000

export const looksLikeTiff = (head: Buffer): boolean =>
  ['II*\0', 'MM\0*'].includes(head.toString('latin1', 0, 4))

export const looksLikeBigTiff = (head: Buffer): boolean =>
  ['II+\0', 'MM\0+'].includes(head.toString('latin1', 0, 4))

/**
 * Counts the directories that follow each other, and stops after `most`. libtiff compares each one with all others, so it would need
 * minutes for a hostile file.
 */
export async function countDirectories(file: FileHandle, most: number): Promise<number> {
  const buffer = Buffer.alloc(8)
  const numberAt = async (at: number, bytes: number): Promise<number> => {
    const { bytesRead } = await file.read(buffer, 0, bytes, at)
    if (bytesRead < bytes) return 0
    if (bytes === 8) return Number(isLittle ? buffer.readBigUInt64LE(0) : buffer.readBigUInt64BE(0))
    return isLittle ? buffer.readUIntLE(0, bytes) : buffer.readUIntBE(0, bytes)
  }
  await file.read(buffer, 0, 1, 0)
  const isLittle = buffer[0] === 0x49
  const isBig = (await numberAt(2, 2)) === BIG_TIFF
  const { counter, entry, offset } = isBig
    ? { counter: 8, entry: 20, offset: 8 }
    : { counter: 2, entry: ENTRY_BYTES, offset: 4 }
  const seen = new Set<number>()
  let at = await numberAt(offset, offset)
  while (Number.isSafeInteger(at) && at > 0 && !seen.has(at) && seen.size <= most) {
    seen.add(at)
    const end = at + counter + (await numberAt(at, counter)) * entry
    at = Number.isSafeInteger(end) ? await numberAt(end, offset) : 0
  }
  return seen.size
}

/** @returns undefined if the file doesn't have a readable directory */
export async function readTiffHead(file: FileHandle): Promise<TiffHead | undefined> {
  const { size } = await file.stat()
  const read = async (at: number, wanted: number) => {
    const length = Math.max(0, Math.min(wanted, size - at))
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }
  try {
    const head = await read(0, 8)
    const littleEndian = head[0] === 0x49
    const numbers = (bytes: Buffer, width: 1 | 2 | 4) => numbersIn(bytes, width, littleEndian)
    const [start = 0] = numbers(head.subarray(4), 4)
    const [count = 0] = numbers(await read(start, 2), 2)
    const entries = await read(start + 2, count * ENTRY_BYTES)
    const directory = new Map<number, readonly number[]>()
    let left = MOST_VALUES
    for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
      const [tag = 0, type = 0] = numbers(entries.subarray(at, at + 4), 2)
      const [length = 0, place = 0] = numbers(entries.subarray(at + 4, at + ENTRY_BYTES), 4)
      const width = WIDTHS[type]
      if (width === undefined || !NEEDED.has(tag) || directory.has(tag) || length > left) continue
      left -= length
      const bytes = length * width
      const inside = entries.subarray(at + 8, at + 8 + Math.min(4, bytes))
      directory.set(tag, numbers(bytes <= 4 ? inside : await read(place, bytes), width))
    }
    return { littleEndian, directory }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function numbersIn(bytes: Buffer, width: 1 | 2 | 4, littleEndian: boolean): number[] {
  const count = Math.floor(bytes.length / width)
  return Array.from({ length: count }, (_, index) =>
    littleEndian ? bytes.readUIntLE(index * width, width) : bytes.readUIntBE(index * width, width),
  )
}

/** Returns a copy of the file that has this directory as its only one. */
export function withDirectory(file: Buffer, { littleEndian, directory }: TiffHead): Buffer {
  const entries = [...directory].toSorted(([a], [b]) => a - b)
  const start = file.length + (file.length % 2)
  const table = Buffer.alloc(start - file.length + 2 + entries.length * ENTRY_BYTES + 4)
  const lists: Buffer[] = []
  let end = file.length + table.length
  const put = (to: Buffer, value: number, at: number, width: 2 | 4) =>
    littleEndian ? to.writeUIntLE(value, at, width) : to.writeUIntBE(value, at, width)

  let at = put(table, entries.length, start - file.length, 2)
  for (const [tag, values] of entries) {
    const list = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) put(list, value, index * 4, 4)
    put(table, tag, at, 2)
    put(table, LONG, at + 2, 2)
    put(table, values.length, at + 4, 4)
    if (values.length === 1) list.copy(table, at + 8)
    else {
      put(table, end, at + 8, 4)
      lists.push(list)
      end += list.length
    }
    at += ENTRY_BYTES
  }
  const whole = Buffer.concat([file, table, ...lists])
  put(whole, start, 4, 4)
  return whole
}

/** Finds the pages of a TIFF file, and joins files with one page each (TIFF 6.0, section 2). */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { readUpTo } from '../read-part.ts'
import { MOST_PAGES } from './image-failure.ts'
import type { Place } from './tiff/directory.ts'
import {
  BIG,
  BIG_VERSION,
  type ByteOrder,
  CLASSIC,
  type DirectorySizes,
  readNumber,
  WIDTHS,
  writeNumber,
} from './tiff-block.ts'
import { imagesOfStack } from './tiff/stack.ts'

/**
 * Reads the byte order, and whether the file is a BigTIFF.
 * @param head at least the first four bytes
 */
function layoutOf(head: Buffer): DirectorySizes & { readonly order: ByteOrder } {
  const order = head[0] === 0x49 ? 'II' : 'MM'
  return { order, ...(readNumber(order, head, 2, 2) === BIG_VERSION ? BIG : CLASSIC) }
}

const [NEW_SUBFILE_TYPE, OLD_SUBFILE_TYPE] = [254, 255]
/** Bits of NewSubfileType: a smaller copy of another page, and a transparency mask. */
const [SMALLER_COPY, MASK] = [1, 4]
/** The value for a smaller copy in the old tag. */
const OLD_SMALLER_COPY = 2
const MOST_ENTRIES = 4_096

export type TiffPage = {
  readonly directory: number
  /** Position at which the offset of the next directory is stored. */
  readonly link: number
  /** Set for the images of a stack, which share a directory. */
  readonly pixels?: { readonly first: Place; readonly own: Place }
}

/**
 * Finds the pages, without smaller copies, and counts the transparency masks. The images of a stack count as pages. Reads directories only.
 */
export async function pagesOfTiff(path: string) {
  await using file = await open(path)
  const read = (at: number, length: number) => readUpTo(file, at, length)
  const head = await read(0, 16)
  if (head.length < 16) return { pages: [], masks: 0 }
  const { order, countBytes, entryBytes, offsetBytes } = layoutOf(head)
  const seen = new Set<number>()
  const pages: TiffPage[] = []
  /** Number of pages that only contain the transparency of other pages. */
  let masks = 0
  let at = readNumber(order, head, offsetBytes, offsetBytes)
  while (Number.isSafeInteger(at) && at > 0 && !seen.has(at) && seen.size < MOST_PAGES) {
    seen.add(at)
    const counted = await read(at, countBytes)
    const count = counted.length < countBytes ? 0 : readNumber(order, counted, 0, countBytes)
    const length = Math.min(count, MOST_ENTRIES) * entryBytes + offsetBytes
    const table = await read(at + countBytes, length)
    if (count === 0 || table.length < length) break
    let [isPage, isMask] = [true, false]
    for (let entry = 0; entry + entryBytes < table.length; entry += entryBytes) {
      const tag = readNumber(order, table, entry, 2)
      const value = entry + entryBytes - offsetBytes
      if (tag === NEW_SUBFILE_TYPE) {
        const type = readNumber(order, table, value, 4)
        isPage = (type & (SMALLER_COPY | MASK)) === 0
        isMask = (type & (SMALLER_COPY | MASK)) === MASK
      }
      if (tag === OLD_SUBFILE_TYPE) isPage = readNumber(order, table, value, 2) !== OLD_SMALLER_COPY
    }
    if (isPage) pages.push({ directory: at, link: at + countBytes + table.length - offsetBytes })
    if (isMask) masks++
    at = readNumber(order, table, table.length - offsetBytes, offsetBytes)
  }
  const [page] = pages
  const stack = page !== undefined && seen.size === 1 ? await imagesOfStack(file) : []
  const [first] = stack
  return page === undefined || first === undefined
    ? { pages, masks }
    : { pages: stack.map((own) => ({ ...page, pixels: { first, own } })), masks }
}

/**
 * Makes a page the only one in a copy of the file, so that any decoder reads it. Otherwise, decoders would visit all later pages each time,
 * which takes minutes if there are thousands.
 */
export async function startWithPage(copy: string, { directory, link, pixels }: TiffPage): Promise<void> {
  await using file = await open(copy, 'r+')
  if (pixels !== undefined) {
    const { buffer } = await file.read(Buffer.alloc(pixels.own.length), 0, pixels.own.length, pixels.own.at)
    return writeAll(file, buffer, pixels.first.at)
  }
  const { buffer: head } = await file.read(Buffer.alloc(16), 0, 16, 0)
  const { order, offsetBytes } = layoutOf(head)
  writeNumber(order, head, directory, offsetBytes, offsetBytes)
  await file.write(head, 0, 2 * offsetBytes, 0)
  await writeAll(file, Buffer.alloc(offsetBytes), link)
}

/** Tags whose values are offsets: of strips and tiles, and of further directories. */
const BLOCKS: ReadonlySet<number> = new Set([273, 324])
const DIRECTORIES: ReadonlySet<number> = new Set([330, 34_665, 34_853, 40_965])
const [LONG, IFD] = [4, 13]
/** Offsets have four bytes. */
const MOST_BYTES = 2 ** 32 - 1

/**
 * Prepares a file that libtiff has written, so that further pages can be appended.
 * @returns a function that appends the only page of another file in the same byte order. It returns false if the file would be larger than
 * the format allows
 */
export async function joinPages(to: string): Promise<(from: string) => Promise<boolean>> {
  let last = await lastPointer(to)
  return async (from) => {
    const page = await readFile(from)
    await using file = await open(to, 'r+')
    const { size } = await file.stat()
    const start = size + (size % 2)
    if (start + page.length > MOST_BYTES) return false
    const { order } = layoutOf(page)
    const directory = readNumber(order, page, 4, 4)
    moveDirectory(order, page, directory, start)
    await writeAll(file, page, start)
    const pointer = Buffer.alloc(4)
    writeNumber(order, pointer, directory + start, 0, 4)
    await writeAll(file, pointer, last)
    last = start + endOf(order, page, directory)
    return true
  }
}

const endOf = (order: ByteOrder, bytes: Buffer, directory: number): number =>
  directory + CLASSIC.countBytes + readNumber(order, bytes, directory, 2) * CLASSIC.entryBytes

/** Adds `by` to all offsets of a directory and of those in it. */
function moveDirectory(order: ByteOrder, bytes: Buffer, directory: number, by: number): void {
  const end = endOf(order, bytes, directory)
  for (let entry = directory + CLASSIC.countBytes; entry < end; entry += CLASSIC.entryBytes) {
    const [tag, type] = [readNumber(order, bytes, entry, 2), readNumber(order, bytes, entry + 2, 2)]
    const count = readNumber(order, bytes, entry + 4, 4)
    const isInside = count * (WIDTHS[type] ?? 0) <= CLASSIC.offsetBytes
    const values = isInside ? entry + 8 : readNumber(order, bytes, entry + 8, 4)
    if (!isInside) writeNumber(order, bytes, values + by, entry + 8, 4)
    if (!BLOCKS.has(tag) && !DIRECTORIES.has(tag)) continue
    if (type !== LONG && type !== IFD) throw new Error('An offset in the TIFF file has another type.')
    for (let at = values; at < values + count * 4; at += 4) {
      const offset = readNumber(order, bytes, at, 4)
      if (DIRECTORIES.has(tag)) moveDirectory(order, bytes, offset, by)
      writeNumber(order, bytes, offset + by, at, 4)
    }
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done)
    done += bytesWritten
  }
}

/** Returns the position at which to write the offset of an appended directory. */
async function lastPointer(path: string): Promise<number> {
  await using file = await open(path)
  const read = async (at: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, at)).buffer
  const { order } = layoutOf(await read(0, 8))
  let place = 4
  for (;;) {
    const next = readNumber(order, await read(place, 4), 0, 4)
    if (next === 0) return place
    place = next + CLASSIC.countBytes + readNumber(order, await read(next, 2), 0, 2) * CLASSIC.entryBytes
  }
}

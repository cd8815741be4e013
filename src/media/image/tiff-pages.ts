/** Finds the pages of a TIFF file, and joins files with one page each (TIFF 6.0, section 2). Reads directories only. */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { MOST_PAGES } from './image-failure.ts'
import type { Place } from './tiff/directory.ts'
import { imagesOfStack } from './tiff/stack.ts'

type Layout = {
  readonly isLittle: boolean
  /** Bytes of the number of entries, of an entry, and of an offset. BigTIFF has wider ones. */
  readonly countBytes: 2 | 8
  readonly entryBytes: 12 | 20
  readonly offsetBytes: 4 | 8
}

const CLASSIC = { countBytes: 2, entryBytes: 12, offsetBytes: 4 } as const
const BIG = { countBytes: 8, entryBytes: 20, offsetBytes: 8 } as const
const BIG_VERSION = 43

type Width = 2 | 4 | 8

function numberIn({ isLittle }: Layout, bytes: Buffer, at: number, width: Width): number {
  if (width === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
}

function write32({ isLittle }: Layout, bytes: Buffer, value: number, at: number): void {
  if (isLittle) bytes.writeUInt32LE(value, at)
  else bytes.writeUInt32BE(value, at)
}

/**
 * Reads the byte order, and whether the file is a BigTIFF.
 * @param head the first 16 bytes, or 8 of a small file
 */
function layoutOf(head: Buffer): Layout {
  const isLittle = head[0] === 0x49
  const version = isLittle ? head.readUInt16LE(2) : head.readUInt16BE(2)
  return { isLittle, ...(version === BIG_VERSION ? BIG : CLASSIC) }
}

const [NEW_SUBFILE_TYPE, OLD_SUBFILE_TYPE] = [254, 255]
/** Bits of NewSubfileType: a smaller copy of another page, and a transparency mask. */
const [SMALLER_COPY, MASK] = [1, 4]
/** The value for a smaller copy in the old tag. */
const OLD_SMALLER_COPY = 2
const MOST_ENTRIES = 4_096

export type TiffPage = {
  /** Offset of its directory, and where the offset of the directory after it is. */
  readonly directory: number
  readonly link: number
  /** Set for the images of a stack, which share a directory. */
  readonly pixels?: { readonly first: Place; readonly own: Place }
}

/** Finds the pages, without smaller copies. */
export async function pagesOfTiff(path: string) {
  await using file = await open(path)
  const read = async (at: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }
  const head = await read(0, 16)
  if (head.length < 16) return { pages: [], masks: 0 }
  const layout = layoutOf(head)
  const { countBytes, entryBytes, offsetBytes } = layout
  const seen = new Set<number>()
  const pages: TiffPage[] = []
  /** Number of pages that only contain the transparency of other pages. */
  let masks = 0
  let at = numberIn(layout, head, offsetBytes, offsetBytes)
  while (Number.isSafeInteger(at) && at > 0 && !seen.has(at) && seen.size < MOST_PAGES) {
    seen.add(at)
    const counted = await read(at, countBytes)
    const count = counted.length < countBytes ? 0 : numberIn(layout, counted, 0, countBytes)
    const length = Math.min(count, MOST_ENTRIES) * entryBytes + offsetBytes
    const table = await read(at + countBytes, length)
    if (count === 0 || table.length < length) break
    let [isPage, isMask] = [true, false]
    for (let entry = 0; entry + entryBytes < table.length; entry += entryBytes) {
      const tag = numberIn(layout, table, entry, 2)
      const value = entry + entryBytes - offsetBytes
      if (tag === NEW_SUBFILE_TYPE) {
        const type = numberIn(layout, table, value, 4)
        isPage = (type & (SMALLER_COPY | MASK)) === 0
        isMask = (type & (SMALLER_COPY | MASK)) === MASK
      }
      if (tag === OLD_SUBFILE_TYPE) isPage = numberIn(layout, table, value, 2) !== OLD_SMALLER_COPY
    }
    if (isPage) pages.push({ directory: at, link: at + countBytes + table.length - offsetBytes })
    if (isMask) masks++
    at = numberIn(layout, table, table.length - offsetBytes, offsetBytes)
  }
  const [page] = pages
  const stack = page !== undefined && seen.size === 1 ? await imagesOfStack(file) : []
  const [first] = stack
  return page === undefined || first === undefined
    ? { pages, masks }
    : { pages: stack.map((own) => ({ ...page, pixels: { first, own } })), masks }
}

/**
 * Makes a page the only one of a copy of the file, so that any decoder reads it. Decoders visit all pages after it each time, so thousands of
 * them would take minutes.
 */
export async function startWithPage(copy: string, { directory, link, pixels }: TiffPage): Promise<void> {
  await using file = await open(copy, 'r+')
  if (pixels !== undefined) {
    const { buffer } = await file.read(Buffer.alloc(pixels.own.length), 0, pixels.own.length, pixels.own.at)
    return writeAll(file, buffer, pixels.first.at)
  }
  const { buffer: head } = await file.read(Buffer.alloc(16), 0, 16, 0)
  const layout = layoutOf(head)
  const { isLittle, offsetBytes } = layout
  if (offsetBytes === 4) write32(layout, head, directory, 4)
  else if (isLittle) head.writeBigUInt64LE(BigInt(directory), 8)
  else head.writeBigUInt64BE(BigInt(directory), 8)
  await file.write(head, 0, 2 * offsetBytes, 0)
  await writeAll(file, Buffer.alloc(offsetBytes), link)
}

/** Tags whose values are offsets: of strips and tiles, and of further directories. */
const BLOCKS: ReadonlySet<number> = new Set([273, 324])
const DIRECTORIES: ReadonlySet<number> = new Set([330, 34_665, 34_853, 40_965])
/** Bytes per value, by type code. */
const WIDTHS: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
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
    const layout = layoutOf(page)
    const directory = numberIn(layout, page, 4, 4)
    moveDirectory(layout, page, directory, start)
    await writeAll(file, page, start)
    const pointer = Buffer.alloc(4)
    write32(layout, pointer, directory + start, 0)
    await writeAll(file, pointer, last)
    last = start + endOf(layout, page, directory)
    return true
  }
}

const endOf = (layout: Layout, bytes: Buffer, directory: number): number =>
  directory + CLASSIC.countBytes + numberIn(layout, bytes, directory, 2) * CLASSIC.entryBytes

/** Adds `by` to all offsets of a directory and of those in it. */
function moveDirectory(layout: Layout, bytes: Buffer, directory: number, by: number): void {
  const end = endOf(layout, bytes, directory)
  for (let entry = directory + CLASSIC.countBytes; entry < end; entry += CLASSIC.entryBytes) {
    const [tag, type] = [numberIn(layout, bytes, entry, 2), numberIn(layout, bytes, entry + 2, 2)]
    const count = numberIn(layout, bytes, entry + 4, 4)
    const isInside = count * (WIDTHS[type] ?? 0) <= CLASSIC.offsetBytes
    const values = isInside ? entry + 8 : numberIn(layout, bytes, entry + 8, 4)
    if (!isInside) write32(layout, bytes, values + by, entry + 8)
    if (!BLOCKS.has(tag) && !DIRECTORIES.has(tag)) continue
    if (type !== LONG && type !== IFD) throw new Error('An offset in the TIFF file has another type.')
    for (let at = values; at < values + count * 4; at += 4) {
      const offset = numberIn(layout, bytes, at, 4)
      if (DIRECTORIES.has(tag)) moveDirectory(layout, bytes, offset, by)
      write32(layout, bytes, offset + by, at)
    }
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done)
    done += bytesWritten
  }
}

/** Returns the position for the offset of a directory that is appended. */
async function lastPointer(path: string): Promise<number> {
  await using file = await open(path)
  const read = async (at: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, at)).buffer
  const layout = layoutOf(await read(0, 8))
  let place = 4
  for (;;) {
    const next = numberIn(layout, await read(place, 4), 0, 4)
    if (next === 0) return place
    place = next + CLASSIC.countBytes + numberIn(layout, await read(next, 2), 0, 2) * CLASSIC.entryBytes
  }
}

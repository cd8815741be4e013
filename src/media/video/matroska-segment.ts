/** Finds elements of Matroska and WebM files by the table of contents, and appends elements to finished files (RFC 9559, 5.1.1). */
import { type FileHandle, open } from 'node:fs/promises'
import {
  CHECKSUM,
  eightByteLength,
  element,
  elementAt,
  elementsIn,
  findElement,
  idBytes,
  MOST_BYTES,
  numberIn,
} from './matroska-elements.ts'
import { unsigned } from '../big-endian.ts'
import { readPart } from '../read-part.ts'

const SEEK_HEAD = 0x114d9b74
const SEEK = 0x4dbb
const SEEK_ID = 0x53ab
const SEEK_POSITION = 0x53ac
const VOID = 0xec

/** Returns the contents of all elements with this ID that the file lists, without searching the whole file. */
export async function listedElements(file: FileHandle, wanted: number): Promise<readonly Buffer[]> {
  const { contentAt } = await segmentHeader(file)
  const places = new Set<number>()
  const tables = [await findElement(file, SEEK_HEAD, 'cluster')].flatMap((place) => place?.at ?? [])
  // A table may list another table.
  for (const at of tables)
    for (const { body } of elementsIn(await readListed(file, at, SEEK_HEAD)).filter(
      ({ id }) => id === SEEK,
    )) {
      const listed = contentAt + (numberIn(body, SEEK_POSITION) ?? 0)
      const id = numberIn(body, SEEK_ID)
      if (id === SEEK_HEAD && !tables.includes(listed) && tables.length < MOST_TABLES) tables.push(listed)
      if (id === wanted) places.add(listed)
    }
  return await Promise.all([...places].map((at) => readListed(file, at, wanted)))
}

const MOST_TABLES = 8

/**
 * Reads the content of an element at a listed position.
 * @returns an empty buffer if another element is there
 */
async function readListed(file: FileHandle, at: number, wanted: number): Promise<Buffer> {
  const { id, start, size } = elementAt(await readPart(file, at, 12), 0)
  return id === wanted ? await readPart(file, at + start, Math.min(size, MOST_BYTES)) : Buffer.alloc(0)
}

/**
 * Appends elements to a finished file and lists them in its table of contents, without moving anything. FFmpeg leaves enough room after
 * that table.
 */
export async function appendToSegment(path: string, parts: readonly Buffer[]): Promise<void> {
  await using file = await open(path, 'r+')
  const { size: end } = await file.stat()
  const { contentAt, size } = await segmentHeader(file)
  const table = await tableOfContents(file, contentAt)
  let at = end - contentAt
  const seeks = parts.map((part) => {
    const seek = element(
      SEEK,
      element(SEEK_ID, idBytes(elementAt(part, 0).id)),
      element(SEEK_POSITION, unsigned(at, 8)),
    )
    at += part.length
    return seek
  })
  // A checksum is optional, and the old one would be wrong.
  const others = table.entries.filter(({ id }) => id !== CHECKSUM).map(({ id, body }) => element(id, body))
  const extended = element(SEEK_HEAD, ...others, ...seeks)
  const rest = filler(table.room - extended.length)
  // Without room, add nothing. The comparison of both files then reports the loss.
  if (rest === undefined) return
  const added = Buffer.concat(parts)
  await file.write(added, 0, added.length, end)
  const replaced = Buffer.concat([extended, rest])
  await file.write(replaced, 0, replaced.length, contentAt)
  if (size === Infinity) return
  const length = eightByteLength(size + added.length)
  await file.write(length, 0, length.length, contentAt - length.length)
}

async function segmentHeader(file: FileHandle) {
  const header = elementAt(await readPart(file, 0, 12), 0)
  const at = header.start + header.size
  const { start, size } = elementAt(await readPart(file, at, 12), 0)
  return { contentAt: at + start, size }
}

/** Returns the entries of the table of contents, and the number of bytes that the table and the filler after it take. */
async function tableOfContents(file: FileHandle, at: number) {
  const table = elementAt(await readPart(file, at, 12), 0)
  const body = await readPart(file, at + table.start, table.size)
  const next = at + table.start + table.size
  const empty = elementAt(await readPart(file, next, 12), 0)
  const room = next - at + (empty.id === VOID ? empty.start + empty.size : 0)
  return { entries: elementsIn(body), room }
}

/** Returns a Void element of this length; undefined if no element is that short. */
function filler(length: number): Buffer | undefined {
  if (length < 0 || length === 1) return undefined
  if (length === 0) return Buffer.alloc(0)
  if (length < 10) return Buffer.concat([Buffer.from([VOID, 0x80 + length - 2]), Buffer.alloc(length - 2)])
  return Buffer.concat([idBytes(VOID), eightByteLength(length - 9), Buffer.alloc(length - 9)])
}

/** Reads the chapters of Matroska and WebM files, and appends them to finished ones (RFC 9559, 5.1.7). */
import { randomInt } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Chapter, Chapters } from './chapter.ts'
import {
  bodyOf,
  eightByteLength,
  type Element,
  element,
  elementAt,
  elementsIn,
  findElement,
  idBytes,
  MOST_BYTES,
  numberIn,
  textIn,
  unsigned,
  VOID,
} from './matroska-elements.ts'
import { readPart } from './read-part.ts'

const SEEK_HEAD = 0x114d9b74
const SEEK = 0x4dbb
const SEEK_ID = 0x53ab
const SEEK_POSITION = 0x53ac
const CHECKSUM = 0xbf
const CHAPTERS = 0x1043a770
const EDITION = 0x45b9
const EDITION_ID = 0x45bc
const EDITION_DEFAULT = 0x45db
const ATOM = 0xb6
const ATOM_ID = 0x73c4
const ATOM_START = 0x91
const ATOM_END = 0x92
const ATOM_HIDDEN = 0x98
const DISPLAY = 0x80
const TITLE = 0x85
const LANGUAGE = 0x437c

const NANOSECONDS = 1e9

export async function readMatroskaChapters(file: FileHandle): Promise<Chapters> {
  const place = await findElement(file, CHAPTERS)
  if (place === undefined) return { list: [] }
  const element = await readPart(file, place.at, place.start + Math.min(place.size, MOST_BYTES))
  const editions = elementsIn(element.subarray(place.start)).filter(({ id }) => id === EDITION)
  const list = chaptersIn(editions)
  const all = editions.reduce((sum, { body }) => sum + atomsIn(body, true).length, 0)
  return { list, unlisted: all - list.length, element }
}

const isDefault = (edition: Element): boolean => numberIn(edition.body, EDITION_DEFAULT) === 1

/** Returns the chapters of the default edition, or of the first one. Nested ones follow those that contain them. */
function chaptersIn(editions: readonly Element[]): readonly Chapter[] {
  const edition = editions.find(isDefault) ?? editions[0]
  return edition === undefined ? [] : atomsIn(edition.body)
}

const atomsIn = (body: Buffer, withHidden = false): readonly Chapter[] =>
  elementsIn(body)
    .filter(({ id }) => id === ATOM)
    .flatMap((atom) => {
      const end = numberIn(atom.body, ATOM_END)
      const display = bodyOf(atom.body, DISPLAY)
      const chapter = {
        start: (numberIn(atom.body, ATOM_START) ?? 0) / NANOSECONDS,
        end: end === undefined ? undefined : end / NANOSECONDS,
        title: (display && textIn(display, TITLE)) ?? '',
      }
      const isListed = withHidden || numberIn(atom.body, ATOM_HIDDEN) !== 1
      return [...(isListed ? [chapter] : []), ...atomsIn(atom.body, withHidden)]
    })

const MOST_UID = 2 ** 47

function chaptersElement(list: readonly Chapter[]): Buffer {
  const atoms = list.map(({ start, end, title }) =>
    element(
      ATOM,
      element(ATOM_ID, unsigned(randomInt(1, MOST_UID))),
      element(ATOM_START, unsigned(Math.round(start * NANOSECONDS))),
      ...(end === undefined ? [] : [element(ATOM_END, unsigned(Math.round(end * NANOSECONDS)))]),
      element(DISPLAY, element(TITLE, Buffer.from(title, 'utf8')), element(LANGUAGE, Buffer.from('und'))),
    ),
  )
  return element(CHAPTERS, element(EDITION, element(EDITION_ID, unsigned(randomInt(1, MOST_UID))), ...atoms))
}

/**
 * Appends chapters to a finished file and lists them in its table of contents, without moving anything. FFmpeg leaves enough room after
 * that table.
 */
export async function appendMatroskaChapters(
  path: string,
  { list, element: known }: Chapters,
): Promise<void> {
  await using file = await open(path, 'r+')
  const { size: end } = await file.stat()
  const chapters = known ?? chaptersElement(list)
  const header = elementAt(await readPart(file, 0, 12), 0)
  const segmentAt = header.start + header.size
  const segment = elementAt(await readPart(file, segmentAt, 12), 0)
  const contentAt = segmentAt + segment.start
  const table = await tableOfContents(file, contentAt)
  const seek = element(
    SEEK,
    element(SEEK_ID, idBytes(CHAPTERS)),
    element(SEEK_POSITION, unsigned(end - contentAt)),
  )
  // A checksum is optional, and the old one would be wrong.
  const others = table.entries.filter(({ id }) => id !== CHECKSUM).map(({ id, body }) => element(id, body))
  const extended = element(SEEK_HEAD, ...others, seek)
  const rest = filler(table.room - extended.length)
  // Without room, the comparison of both files reports the loss.
  if (rest === undefined) return
  await file.write(chapters, 0, chapters.length, end)
  const replaced = Buffer.concat([extended, rest])
  await file.write(replaced, 0, replaced.length, contentAt)
  if (segment.size === Infinity) return
  const length = eightByteLength(segment.size + chapters.length)
  await file.write(length, 0, length.length, contentAt - length.length)
}

/** @returns the entries, and the number of bytes that they and the filler after them take */
async function tableOfContents(file: FileHandle, at: number) {
  const table = elementAt(await readPart(file, at, 12), 0)
  const body = await readPart(file, at + table.start, table.size)
  const next = at + table.start + table.size
  const empty = elementAt(await readPart(file, next, 12), 0)
  const room = next - at + (empty.id === VOID ? empty.start + empty.size : 0)
  return { entries: elementsIn(body), room }
}

/** @returns a Void element of this length; undefined if there is none that short */
function filler(length: number): Buffer | undefined {
  if (length < 0 || length === 1) return undefined
  if (length === 0) return Buffer.alloc(0)
  if (length < 10) return Buffer.concat([Buffer.from([VOID, 0x80 + length - 2]), Buffer.alloc(length - 2)])
  return Buffer.concat([idBytes(VOID), eightByteLength(length - 9), Buffer.alloc(length - 9)])
}

/** Reads and builds the chapters of Matroska and WebM files (RFC 9559, 5.1.7). */
import { randomInt } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Chapter, ChapterName, Chapters } from './chapter.ts'
import {
  bodyOf,
  type Element,
  element,
  elementsIn,
  findElement,
  MOST_BYTES,
  numberIn,
  textIn,
} from './matroska-elements.ts'
import { unsigned } from '../big-endian.ts'
import { readPart } from '../read-part.ts'

const CHAPTERS = 0x1043a770
const EDITION = 0x45b9
const EDITION_ID = 0x45bc
const EDITION_DEFAULT = 0x45db
const EDITION_ORDERED = 0x45dd
const ATOM = 0xb6
const ATOM_ID = 0x73c4
const ATOM_START = 0x91
const ATOM_END = 0x92
const ATOM_HIDDEN = 0x98
const DISPLAY = 0x80
const TITLE = 0x85
const LANGUAGE = 0x437c
const LANGUAGE_TAG = 0x437d

const NANOSECONDS = 1e9

/** Returns the chapters of the default edition, or of the first one. */
export async function readMatroskaChapters(file: FileHandle): Promise<Chapters> {
  const place = await findElement(file, CHAPTERS)
  if (place === undefined) return { list: [] }
  const element = await readPart(file, place.at, place.start + Math.min(place.size, MOST_BYTES))
  const editions = elementsIn(element.subarray(place.start)).filter(({ id }) => id === EDITION)
  const edition = editions.find(isDefault) ?? editions[0]
  if (edition === undefined) return { list: [] }
  const list = atomsIn(edition.body)
  const isOrdered = numberIn(edition.body, EDITION_ORDERED) === 1
  const all = editions.reduce((sum, { body }) => sum + atomsIn(body, true).length, 0)
  return { list, unlisted: all - list.length, isOrdered, element }
}

const isDefault = (edition: Element): boolean => numberIn(edition.body, EDITION_DEFAULT) === 1

/**
 * Returns the chapters as a flat list, in which nested chapters follow those that contain them. Omits hidden ones unless `withHidden` is
 * set.
 */
const atomsIn = (body: Buffer, withHidden = false): readonly Chapter[] =>
  elementsIn(body)
    .filter(({ id }) => id === ATOM)
    .flatMap((atom) => {
      const end = numberIn(atom.body, ATOM_END)
      const [name = { title: '' }, ...others] = elementsIn(atom.body)
        .filter(({ id }) => id === DISPLAY)
        .map(({ body }) => nameIn(body))
      const chapter = {
        ...name,
        others: others.filter(({ title }) => title !== '' && title !== name.title),
        start: (numberIn(atom.body, ATOM_START) ?? 0) / NANOSECONDS,
        end: end === undefined ? undefined : end / NANOSECONDS,
        id: bodyOf(atom.body, ATOM_ID),
      }
      const isListed = withHidden || numberIn(atom.body, ATOM_HIDDEN) !== 1
      return [...(isListed ? [chapter] : []), ...atomsIn(atom.body, withHidden)]
    })

const nameIn = (display: Buffer): ChapterName => ({
  title: textIn(display, TITLE) ?? '',
  language: textIn(display, LANGUAGE_TAG) ?? textIn(display, LANGUAGE) ?? 'eng',
})

const MOST_UID = 2 ** 47
const newId = (): Buffer => unsigned(randomInt(1, MOST_UID), 8)

function chaptersElement(list: readonly Chapter[]): Buffer {
  const atoms = list.map(({ start, end, id, others = [], ...name }) =>
    element(
      ATOM,
      element(ATOM_ID, id ?? newId()),
      element(ATOM_START, unsigned(Math.round(start * NANOSECONDS), 8)),
      ...(end === undefined ? [] : [element(ATOM_END, unsigned(Math.round(end * NANOSECONDS), 8))]),
      ...[name, ...others].map(display),
    ),
  )
  return element(CHAPTERS, element(EDITION, element(EDITION_ID, newId()), ...atoms))
}

function display({ title, language = 'und' }: ChapterName): Buffer {
  const isCode = language.length === 3
  return element(
    DISPLAY,
    element(TITLE, Buffer.from(title)),
    element(LANGUAGE, Buffer.from(isCode ? language : 'und')),
    ...(isCode ? [] : [element(LANGUAGE_TAG, Buffer.from(language))]),
  )
}

/** Returns the original's `Chapters` element if it is known; otherwise builds one. */
export const matroskaChapters = ({ list, element: known }: Chapters): Buffer => known ?? chaptersElement(list)

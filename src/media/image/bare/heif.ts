/**
 * Removes everything from a HEIC or AVIF that its image doesn't need (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12): metadata, thumbnails,
 * other images, and bytes that no image uses. What stays keeps its offset in the file: tiles, transparency, depth, gain maps.
 */
import { type Box, boxesIn, readFrom } from '../../../node/media-header/heif-boxes.ts'
import {
  entriesIn,
  type Items,
  locationsIn,
  ownersIn,
  readItems,
} from '../../../node/media-header/heif-items.ts'
import { makeBox } from '../../make-box.ts'
import { inside } from '../avif-colors.ts'
import { hasUserData } from './coded-words.ts'

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** The boxes that an image consists of. Any other box may contain the user's data. */
const NEEDED = {
  file: setOf('ftyp meta mdat'),
  meta: setOf('hdlr dinf pitm iinf iloc iprp iref idat grpl'),
  images: setOf('hvc1 av01 grid iden iovl tmap'),
  properties: setOf(
    'ispe pixi hvcC av1C colr pasp auxC clap irot imir clli mdcv cclv amve a1lx a1op lsel rloc rref tmap',
  ),
}
const PADDING = setOf('free skip')
const XMP = 'application/rdf+xml'
/** Names that encoders write. Any other name may come from the user. */
const NAMES: ReadonlySet<string> = new Set(['', 'Color', 'Alpha', 'libavif', 'Image', 'GMap'])
const BOX_HEAD = 8

/**
 * Returns the file with only what its image needs; undefined if the file isn't a still image, or contains anything unknown.
 * @throws RangeError if a box ends before its content does
 */
export function bareHeif(file: Buffer): Buffer | undefined {
  const bare = Buffer.from(file)
  const boxes = boxesIn(bare, 0, bare.length)
  const [meta, ...others] = boxes.filter(({ type }) => type === 'meta')
  if (meta === undefined || others.length > 0 || boxes.some(({ type }) => type === 'moov')) return undefined
  const parts = boxesIn(bare, meta.body + 4, meta.end)
  const items = readItems(bare, meta)
  const used = usedBy(items)
  if (!isUnderstood(bare, parts) || !areKnown(bare, parts, items, used)) return undefined
  if (!clearOtherData(bare, items, used, [...boxes, ...parts])) return undefined
  const removed = new Set(items.all.filter((item) => !used.has(item)))
  const shorter = withoutItems(bare, parts, removed)
  const room = meta.end - meta.body - 4 - shorter.length
  // Padding needs a box header.
  if (room > 0 && room < BOX_HEAD) return undefined
  shorter.copy(bare, meta.body + 4)
  if (room > 0) makeBox('free', Buffer.alloc(room - BOX_HEAD)).copy(bare, meta.end - room)
  return withoutOthers(bare, boxes, items, used)
}

/** Returns the primary image, its parts, its auxiliary images and gain map, and the XMP of its auxiliary images. */
function usedBy({ primary = -1, references, typeOf }: Items): ReadonlySet<number> {
  const used = new Set([primary])
  for (let known = 0; known < used.size;) {
    known = used.size
    for (const { type, from, to } of references) {
      const isForUsed = to.some((item) => used.has(item))
      if (type === 'dimg' && used.has(from)) to.forEach((item) => used.add(item))
      else if (type === 'auxl' && isForUsed) used.add(from)
      // The tone map has its image and the gain map as inputs.
      else if (type === 'dimg' && isForUsed && typeOf(from) === 'tmap') used.add(from)
    }
  }
  const auxiliary = new Set(references.flatMap(({ type, from }) => (type === 'auxl' ? [from] : [])))
  for (const { type, from, to } of references)
    if (type === 'cdsc' && typeOf(from) === XMP && to.every((item) => auxiliary.has(item))) used.add(from)
  return used
}

/** Returns whether all parts can be rewritten, with item numbers of two bytes. */
function isUnderstood(file: Buffer, parts: readonly Box[]): boolean {
  const versionOf = (type: string) => {
    const box = parts.find((one) => one.type === type)
    return box === undefined ? 0 : file.readUInt8(box.body)
  }
  return (
    parts.every(({ type }) => NEEDED.meta.has(type) || PADDING.has(type)) &&
    ['pitm', 'iinf', 'iloc', 'iprp'].every((wanted) => parts.some(({ type }) => type === wanted)) &&
    ['pitm', 'iref'].every((type) => versionOf(type) === 0) &&
    ['iinf', 'iloc'].every((type) => versionOf(type) < 2)
  )
}

/** Returns whether everything that stays is known: types, names, properties, relations, and what is coded with the pixels. */
function areKnown(file: Buffer, parts: readonly Box[], items: Items, used: ReadonlySet<number>): boolean {
  const handler = parts.find(({ type }) => type === 'hdlr')
  // After four bytes of version and flags come four empty ones, the type, and twelve empty ones.
  if (handler !== undefined && !NAMES.has(textIn(file, handler.body + 24, handler.end))) return false
  const areNamed = entriesIn(file, inside(parts, 'iinf')).every(({ type, body, end }) => {
    if (type !== 'infe' || file.readUInt8(body) !== 2) return false
    const item = file.readUInt16BE(body + 4)
    return !used.has(item) || items.typeOf(item) === XMP || NAMES.has(textIn(file, body + 12, end))
  })
  const relations = items.references.filter(({ from }) => used.has(from))
  return (
    areNamed &&
    relations.every(({ to }) => to.every((item) => used.has(item))) &&
    groupsIn(file, parts).every((group) => group.every((item) => used.has(item))) &&
    [...used].every((item) => {
      const type = items.typeOf(item) ?? ''
      if (type === XMP) return true
      const properties = items.propertiesOf(item)
      const parameters = properties.find((property) => property.type === 'hvcC')
      return (
        NEEDED.images.has(type) &&
        properties.every((property) => NEEDED.properties.has(property.type)) &&
        !hasUserData(type, items.dataOf(item), parameters && file.subarray(parameters.body, parameters.end))
      )
    })
  )
}

const counterOf = (file: Buffer, { body }: Box): 2 | 4 => (file.readUInt8(body) === 0 ? 2 : 4)

/** Returns the text without trailing zeros. Includes any bytes between the text's terminator and those zeros. */
const textIn = (file: Buffer, start: number, end: number): string =>
  file.toString('latin1', start, end).replace(/\0+$/, '')

function groupsIn(file: Buffer, parts: readonly Box[]): readonly (readonly number[])[] {
  const list = parts.find(({ type }) => type === 'grpl')
  return (list === undefined ? [] : boxesIn(file, list.body, list.end)).map(({ body, end }) => {
    const read = readFrom(file, body + 8, end)
    return Array.from({ length: read.number(4) }, () => read.number(4))
  })
}

/**
 * Overwrites data that the used items don't need.
 * @returns false if the location of the used data is unknown
 */
function clearOtherData(
  file: Buffer,
  items: Items,
  used: ReadonlySet<number>,
  boxes: readonly Box[],
): boolean {
  const places = [...used].map((item) => items.placesOf(item))
  if (!places.every((place) => place !== undefined)) return false
  const kept = places.flat().toSorted((one, other) => one.offset - other.offset)
  for (const { type, body, end } of boxes) {
    if (type !== 'mdat' && type !== 'idat') continue
    let at = body
    for (const { offset, length } of kept) {
      if (offset + length <= at || offset >= end) continue
      if (offset > at) file.fill(0, at, offset)
      at = offset + length
    }
    file.fill(0, Math.min(at, end), end)
  }
  return true
}

/** Returns the content of the `meta` box without these items, and without padding. */
function withoutItems(file: Buffer, parts: readonly Box[], removed: ReadonlySet<number>): Buffer {
  const isKept = (at: number): boolean => !removed.has(file.readUInt16BE(at))
  const whole = ({ type, body, end }: Box): Buffer => makeBox(type, file.subarray(body, end))
  const content = parts.map((box) => {
    const { type, body, end } = box
    const head = file.subarray(body, body + 4)
    switch (type) {
      case 'iinf': {
        const kept = entriesIn(file, box).filter((entry) => isKept(entry.body + 4))
        return makeBox(type, head, numberOf(kept.length, counterOf(file, box)), ...kept.map(whole))
      }
      case 'iref': {
        const kept = boxesIn(file, body + 4, end).filter((entry) => isKept(entry.body))
        return kept.length === 0 ? Buffer.alloc(0) : makeBox(type, head, ...kept.map(whole))
      }
      case 'iloc':
        return makeBox(type, locations(file, box, removed))
      case 'iprp': {
        const inner = boxesIn(file, body, end)
        return makeBox(
          type,
          ...inner.map((one) =>
            one.type === 'ipma' ? makeBox(one.type, owners(file, one, removed)) : whole(one),
          ),
        )
      }
      default:
        return PADDING.has(type) ? Buffer.alloc(0) : whole(box)
    }
  })
  return Buffer.concat(content)
}

function numberOf(value: number, length: 2 | 4): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

/** Copies the data locations of the items that stay (8.11.3). */
function locations(file: Buffer, box: Box, removed: ReadonlySet<number>): Buffer {
  const kept = [...locationsIn(file, box)].filter(({ item }) => !removed.has(item))
  return Buffer.concat([
    file.subarray(box.body, box.body + 6),
    numberOf(kept.length, 2),
    ...kept.map(({ at, end }) => file.subarray(at, end)),
  ])
}

/** Copies the property lists of the items that stay (23008-12, 9.3). */
function owners(file: Buffer, box: Box, removed: ReadonlySet<number>): Buffer {
  const kept = [...ownersIn(file, box)].filter(({ item }) => !removed.has(item))
  return Buffer.concat([
    file.subarray(box.body, box.body + 4),
    numberOf(kept.length, 4),
    ...kept.map(({ at, end }) => file.subarray(at, end)),
  ])
}

/** Removes unused boxes at the end. Empties unused boxes before that, because data must keep its offset. */
function withoutOthers(file: Buffer, boxes: readonly Box[], { placesOf }: Items, used: ReadonlySet<number>) {
  const ends = [...used].flatMap((item) => placesOf(item) ?? []).map(({ offset, length }) => offset + length)
  const last = boxes.findLastIndex(
    ({ type, body }) => NEEDED.file.has(type) && (type !== 'mdat' || ends.some((end) => end > body)),
  )
  for (const { type, body, end } of boxes.slice(0, Math.max(0, last))) {
    if (NEEDED.file.has(type)) continue
    file.write('free', body - 4, 'latin1')
    file.fill(0, body, end)
  }
  const { type, body, end } = boxes[last] ?? { type: '', body: 0, end: 0 }
  const hasShortHead = body >= BOX_HEAD && file.readUInt32BE(body - BOX_HEAD) === end - body + BOX_HEAD
  if (type !== 'mdat' || !hasShortHead) return file.subarray(0, end)
  const usedEnd = ends.reduce((most, one) => Math.max(most, one), body)
  file.writeUInt32BE(usedEnd - body + BOX_HEAD, body - BOX_HEAD)
  return file.subarray(0, usedEnd)
}

/**
 * Removes everything from a HEIC or AVIF that its images don't need (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12): metadata, thumbnails,
 * and bytes that no image uses. What stays keeps its offset in the file: all main images, tiles, transparency, depth, gain maps.
 */
import { type Box, boxesIn, readFrom } from '../../../node/media-header/heif-boxes.ts'
import {
  entriesIn,
  type Extent,
  type Items,
  locationsIn,
  ownersIn,
  readItems,
} from '../../../node/media-header/heif-items.ts'
import { uint16, uint32, unsigned } from '../../big-endian.ts'
import { makeBox } from '../../make-box.ts'
import { setOf } from '../../words.ts'
import { inside } from '../avif-colors.ts'
import { unlessTooShort } from '../image-failure.ts'
import { clearUserData } from './coded-words.ts'
import { clearSequence, empty } from './sequence.ts'

/** Types of boxes and, in `images`, of items that an image consists of. Anything else may contain the user's data. */
const NEEDED = {
  file: setOf('ftyp meta moov mdat'),
  meta: setOf('hdlr dinf pitm iinf iloc iprp iref idat grpl'),
  images: setOf('hvc1 av01 grid iden iovl tmap'),
  properties: setOf(
    'ispe pixi hvcC av1C colr pasp auxC clap irot imir clli mdcv cclv amve a1lx a1op lsel rloc rref tmap cmin cmex ndwt reve',
  ),
}
/** Types of groups that only list images, such as bursts and stereo pairs (ISO/IEC 14496-12, 8.18; ISO/IEC 23008-12, 6.8). */
const GROUPS = setOf('altr eqiv ster brst tsyn aebr wbbr fobr afbr dobr')
/** Type of an image that shows another image with different properties. It has no data. */
const WITHOUT_DATA = 'iden'
/** The box without which protected items can't be decoded. */
const PROTECTION = 'ipro'
const XMP = 'application/rdf+xml'
/** Names that encoders write. Any other name may come from the user. */
const NAMES: ReadonlySet<string> = new Set(['', 'Color', 'Alpha', 'libavif', 'Image', 'GMap'])
const BOX_HEAD = 8

/**
 * Returns the file with only what its images need or, if that isn't possible, only what its primary image needs.
 * @returns undefined if the primary image needs anything unknown, or the file can't be rewritten
 * @throws RangeError if a box ends before its content does
 */
export const bareHeif = (file: Buffer): Buffer | undefined =>
  unlessTooShort(() => withImages(file, mainImages)) ?? withImages(file, ({ primary = -1 }) => [primary])

/** Returns where a bare file has the number of its primary image, and the numbers of all main images, beginning with the primary one. */
export function imagesOf(bare: Buffer): { readonly primaryAt: number; readonly images: readonly number[] } {
  const meta = inside(boxesIn(bare, 0, bare.length), 'meta')
  const primary = inside(boxesIn(bare, meta.body + 4, meta.end), 'pitm')
  return { primaryAt: primary.body + 4, images: [...new Set(mainImages(readItems(bare, meta)))] }
}

/** @param imagesOf returns the images that stay; the items that these images need stay too */
function withImages(file: Buffer, imagesOf: (items: Items) => readonly number[]): Buffer | undefined {
  const bare = Buffer.from(file)
  const boxes = boxesIn(bare, 0, bare.length)
  const [meta, ...others] = boxes.filter(({ type }) => type === 'meta')
  const movies = boxes.filter(({ type }) => type === 'moov')
  const isPlain = others.length === 0 && movies.length < 2 && !boxes.some(({ type }) => type === 'moof')
  if (meta === undefined || !isPlain) return undefined
  const parts = boxesIn(bare, meta.body + 4, meta.end)
  const items = readItems(bare, meta)
  const used = usedBy(items, imagesOf(items))
  if (!isUnderstood(bare, parts) || !areKnown(items, used)) return undefined
  if (!clearNames(bare, parts, items, used) || !clearProperties(bare, parts, used)) return undefined
  if (![...used].every((item) => clearItem(bare, items, item))) return undefined
  const [movie] = movies
  const frames = movie === undefined ? [] : clearSequence(bare, movie)
  const places = [...used].flatMap((item) =>
    items.typeOf(item) === WITHOUT_DATA ? [] : [items.placesOf(item)],
  )
  if (frames === undefined || !places.every((place) => place !== undefined)) return undefined
  const kept = [...frames, ...places.flat()]
  clearOtherData(bare, kept, [...boxes, ...parts])
  const removed = new Set(items.all.filter((item) => !used.has(item)))
  const content = (inName: number) => withoutItems(bare, parts, removed, inName)
  const room = meta.end - meta.body - 4 - content(0).length
  // Padding needs a box header. If there is too little room for one, zeros after the handler's name fill the room.
  const isPadded = room >= BOX_HEAD
  content(isPadded ? 0 : room).copy(bare, meta.body + 4)
  if (isPadded) makeBox('free', Buffer.alloc(room - BOX_HEAD)).copy(bare, meta.end - room)
  return withoutOthers(bare, boxes, kept)
}

/** Returns the primary image, and all other images that a program shows, for example those of a burst or a stereo camera. */
function mainImages({ primary = -1, references, shown, typeOf }: Items): readonly number[] {
  const parts = new Set(
    references.flatMap(({ type, from, to }) =>
      type === 'thmb' || type === 'auxl' ? [from] : type === 'dimg' ? to : [],
    ),
  )
  const others = shown.filter((item) => NEEDED.images.has(typeOf(item) ?? '') && !parts.has(item))
  return [primary, ...others]
}

/** Returns these images, their parts, their auxiliary images and gain maps, and the XMP of their auxiliary images. */
function usedBy({ references, typeOf }: Items, images: readonly number[]): ReadonlySet<number> {
  const used = new Set(images)
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
    if (type === 'cdsc' && typeOf(from) === XMP && to.every((item) => auxiliary.has(item) && used.has(item)))
      used.add(from)
  return used
}

/** Returns whether all parts can be rewritten, with item numbers of two bytes. */
function isUnderstood(file: Buffer, parts: readonly Box[]): boolean {
  const versionOf = (type: string) => {
    const box = parts.find((one) => one.type === type)
    return box === undefined ? 0 : file.readUInt8(box.body)
  }
  return (
    parts.every(({ type }) => type !== PROTECTION) &&
    ['hdlr', 'pitm', 'iinf', 'iloc', 'iprp'].every(
      (wanted) => parts.filter(({ type }) => type === wanted).length === 1,
    ) &&
    ['pitm', 'iref'].every((type) => versionOf(type) === 0) &&
    ['iinf', 'iloc'].every((type) => versionOf(type) < 2)
  )
}

/** Returns whether all used items have known types and refer only to used items. */
const areKnown = (items: Items, used: ReadonlySet<number>): boolean =>
  [...used].every((item) => {
    const type = items.typeOf(item) ?? ''
    return type === XMP || NEEDED.images.has(type)
  }) && items.references.every(({ from, to }) => !used.has(from) || to.every((item) => used.has(item)))

/**
 * Overwrites names, which may come from the user, except those that encoders write.
 * @returns false if an entry has an unusual version
 */
function clearNames(file: Buffer, parts: readonly Box[], items: Items, used: ReadonlySet<number>): boolean {
  const clear = (start: number, end: number) => {
    if (!NAMES.has(textIn(file, start, end))) file.fill(0, start, end)
  }
  const handler = parts.find(({ type }) => type === 'hdlr')
  // After four bytes of version and flags come four empty ones, the type, and twelve empty ones.
  if (handler !== undefined) clear(handler.body + 24, handler.end)
  return entriesIn(file, inside(parts, 'iinf')).every(({ type, body, end }) => {
    if (type !== 'infe' || file.readUInt8(body) !== 2) return false
    const item = file.readUInt16BE(body + 4)
    // The name of XMP precedes its type.
    if (used.has(item) && items.typeOf(item) !== XMP) clear(body + 12, end)
    return true
  })
}

/**
 * Overwrites unknown properties, such as descriptions, and the references to them.
 * @returns false if an image needs such a property
 */
function clearProperties(file: Buffer, parts: readonly Box[], used: ReadonlySet<number>): boolean {
  const { body, end } = inside(parts, 'iprp')
  const boxes = boxesIn(file, body, end)
  const container = inside(boxes, 'ipco')
  const all = boxesIn(file, container.body, container.end)
  const unknown = new Set(all.filter(({ type }) => !NEEDED.properties.has(type)))
  for (const list of boxes.filter(({ type }) => type === 'ipma'))
    for (const { item, properties, indexSize } of ownersIn(file, list))
      for (const { at, index } of properties) {
        const property = all[index - 1]
        if (property === undefined || !unknown.has(property)) continue
        const isEssential = (file.readUInt8(at) & 0x80) !== 0
        if (isEssential && used.has(item)) return false
        file.fill(0, at, at + indexSize)
      }
  // References are indices into the list of properties, so the list must keep its length.
  for (const property of unknown) empty(file, property)
  return true
}

/** Overwrites what is coded together with an image. @returns false if that isn't possible */
function clearItem(file: Buffer, items: Items, item: number): boolean {
  const type = items.typeOf(item) ?? ''
  const configuration = items
    .propertiesOf(item)
    .find((property) => property.type === 'hvcC' || property.type === 'av1C')
  const coded = items.dataOf(item)
  const parameters = configuration && file.subarray(configuration.body, configuration.end)
  if (type === XMP || type === WITHOUT_DATA) return true
  if (!clearUserData(type, coded, parameters)) return false
  // `dataOf` joins data from several places into a copy, so the copy must be written back.
  let from = 0
  for (const { offset, length } of items.placesOf(item) ?? []) {
    coded?.copy(file, offset, from, from + length)
    from += length
  }
  return true
}

const counterOf = (file: Buffer, { body }: Box): 2 | 4 => (file.readUInt8(body) === 0 ? 2 : 4)

/** Returns the text without trailing zeros. Includes any bytes between the text's terminator and those zeros. */
const textIn = (file: Buffer, start: number, end: number): string =>
  file.toString('latin1', start, end).replace(/\0+$/, '')

/** Copies the known groups whose items all stay, without what follows their items. */
const groupsOf = (file: Buffer, { body, end }: Box, isKept: (item: number) => boolean): readonly Buffer[] =>
  boxesIn(file, body, end).flatMap((group) => {
    if (!GROUPS.has(group.type)) return []
    const read = readFrom(file, group.body + 8, group.end)
    const items = Array.from({ length: read.number(4) }, () => read.number(4))
    return items.every(isKept) ? [makeBox(group.type, file.subarray(group.body, read.at()))] : []
  })

/** Overwrites all data except these places. */
function clearOtherData(file: Buffer, places: readonly Extent[], boxes: readonly Box[]): void {
  const kept = places.toSorted((one, other) => one.offset - other.offset)
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
}

/**
 * Returns the content of the `meta` box without these items, and without unknown boxes.
 * @param inName number of zeros to add after the handler's name
 */
function withoutItems(
  file: Buffer,
  parts: readonly Box[],
  removed: ReadonlySet<number>,
  inName: number,
): Buffer {
  const isKept = (at: number): boolean => !removed.has(file.readUInt16BE(at))
  const isItemKept = (item: number): boolean => !removed.has(item)
  const whole = ({ type, body, end }: Box): Buffer => makeBox(type, file.subarray(body, end))
  const content = parts.map((box) => {
    const { type, body, end } = box
    const head = file.subarray(body, body + 4)
    switch (type) {
      case 'hdlr':
        return makeBox(type, file.subarray(body, end), Buffer.alloc(inName))
      case 'iinf': {
        const kept = entriesIn(file, box).filter((entry) => isKept(entry.body + 4))
        return makeBox(type, head, unsigned(kept.length, counterOf(file, box)), ...kept.map(whole))
      }
      case 'iref': {
        const kept = boxesIn(file, body + 4, end).filter((entry) => isKept(entry.body))
        return kept.length === 0 ? Buffer.alloc(0) : makeBox(type, head, ...kept.map(whole))
      }
      case 'iloc':
        return makeBox(type, locations(file, box, removed))
      case 'iprp': {
        const inner = boxesIn(file, body, end)
        const container = inside(inner, 'ipco')
        const lists = inner.filter((one) => one.type === 'ipma')
        return makeBox(
          type,
          // FFmpeg rejects properties whose length has 64 bits.
          makeBox('ipco', ...boxesIn(file, container.body, container.end).map(whole)),
          ...lists.map((one) => makeBox('ipma', owners(file, one, removed))),
        )
      }
      case 'grpl': {
        const kept = groupsOf(file, box, isItemKept)
        return kept.length === 0 ? Buffer.alloc(0) : makeBox(type, ...kept)
      }
      default:
        return NEEDED.meta.has(type) ? whole(box) : Buffer.alloc(0)
    }
  })
  return Buffer.concat(content)
}

/** Copies the data locations of the items that stay (8.11.3). */
function locations(file: Buffer, box: Box, removed: ReadonlySet<number>): Buffer {
  const kept = [...locationsIn(file, box)].filter(({ item }) => !removed.has(item))
  return Buffer.concat([
    file.subarray(box.body, box.body + 6),
    uint16(kept.length),
    ...kept.map(({ at, end }) => file.subarray(at, end)),
  ])
}

/** Copies the property lists of the items that stay (23008-12, 9.3), without cleared entries: FFmpeg rejects files that have any. */
function owners(file: Buffer, box: Box, removed: ReadonlySet<number>): Buffer {
  const kept = [...ownersIn(file, box)].filter(({ item }) => !removed.has(item))
  return Buffer.concat([
    file.subarray(box.body, box.body + 4),
    uint32(kept.length),
    ...kept.flatMap(({ at, countAt, properties, indexSize }) => {
      const owned = properties.filter(({ index }) => index > 0)
      return [
        file.subarray(at, countAt),
        Buffer.from([owned.length]),
        ...owned.map((one) => file.subarray(one.at, one.at + indexSize)),
      ]
    }),
  ])
}

/** Removes unused boxes and data at the end. Empties unused boxes before that, because data must keep its offset. */
function withoutOthers(file: Buffer, boxes: readonly Box[], kept: readonly Extent[]): Buffer {
  const ends = kept.map(({ offset, length }) => offset + length)
  const last = boxes.findLastIndex(
    ({ type, body }) => NEEDED.file.has(type) && (type !== 'mdat' || ends.some((end) => end > body)),
  )
  for (const box of boxes.slice(0, Math.max(0, last))) if (!NEEDED.file.has(box.type)) empty(file, box)
  const { type, start, body, end } = boxes[last] ?? { type: '', start: 0, body: 0, end: 0 }
  const hasShortHead = end > start && file.readUInt32BE(start) === end - start
  if (type !== 'mdat' || !hasShortHead) return file.subarray(0, end)
  const usedEnd = ends.reduce((most, one) => Math.max(most, one), body)
  file.writeUInt32BE(usedEnd - start, start)
  return file.subarray(0, usedEnd)
}

/** Adds Exif and XMP to an AVIF or a HEIC as items that describe its images (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, A.2). */
import { type Box, boxesIn, readFrom } from '../../node/media-header/heif-boxes.ts'
import { entriesIn, fieldSizes } from '../../node/media-header/heif-items.ts'
import { inside, moveData } from '../image/avif-colors.ts'
import { moveFrames } from '../image/bare/sequence.ts'
import { uint16, unsigned } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import type { PhotoMetadata } from './photo-metadata.ts'

type Item = {
  readonly id: number
  readonly image: number
  readonly type: 'Exif' | 'mime'
  readonly data: Buffer
}

/**
 * @param avif without metadata, with item numbers of two bytes
 * @param metadata of the primary image
 * @param others the metadata of other images, by their item numbers
 */
export function withHeifMetadata(
  avif: Buffer,
  metadata: PhotoMetadata,
  others: ReadonlyMap<number, PhotoMetadata> = new Map(),
): Buffer {
  const meta = inside(boxesIn(avif, 0, avif.length), 'meta')
  const parts = boxesIn(avif, meta.body + 4, meta.end)
  const first = 1 + highestItem(avif, inside(parts, 'iinf'))
  const primary = readFrom(avif, inside(parts, 'pitm').body + 4, meta.end).number(2)
  const items: readonly Item[] = [[primary, metadata] as const, ...others]
    .flatMap(([image, { exif, xmp }]) => [
      // The first four bytes give the offset of the Exif block after them.
      ...(exif === undefined
        ? []
        : [{ image, type: 'Exif' as const, data: Buffer.concat([Buffer.alloc(4), exif]) }]),
      ...(xmp === undefined ? [] : [{ image, type: 'mime' as const, data: xmp }]),
    ])
    .map((item, index) => ({ ...item, id: first + index }))
  if (items.length === 0) return avif
  // The offsets depend on the length of the new box, so it is written twice.
  const length = metaWith(avif, meta, parts, items, 0, 0).length
  const by = length - (meta.end - meta.start)
  const whole = Buffer.concat([
    avif.subarray(0, meta.start),
    metaWith(avif, meta, parts, items, by, avif.length + by + 8),
    avif.subarray(meta.end),
    makeBox('mdat', ...items.map(({ data }) => data)),
  ])
  moveFrames(whole, by, meta.end)
  return whole
}

/**
 * Returns the `meta` box with the added items.
 * @param by number of bytes by which the existing data moves
 * @param start where the new data will begin
 */
function metaWith(
  avif: Buffer,
  meta: Box,
  parts: readonly Box[],
  items: readonly Item[],
  by: number,
  start: number,
): Buffer {
  const changed = Buffer.from(avif)
  moveData(changed, inside(parts, 'iloc'), by, meta.end)
  const references = items.map(({ id, image }) => referenceOf(id, image))
  const content = parts.map(({ type, body, end }) => {
    const bytes = changed.subarray(body, end)
    if (type === 'iinf') {
      // The count has two bytes, or four in another version.
      const at = bytes[0] === 0 ? 4 : 6
      return makeBox('iinf', withCount(bytes, items.length, items.map(entryOf), at))
    }
    if (type === 'iloc')
      return makeBox('iloc', withCount(bytes, items.length, locationsOf(bytes, items, start), 6))
    if (type === 'iref') return makeBox('iref', bytes, ...references)
    return makeBox(type, bytes)
  })
  if (!parts.some(({ type }) => type === 'iref'))
    content.push(makeBox('iref', Buffer.alloc(4), ...references))
  return makeBox('meta', avif.subarray(meta.body, meta.body + 4), ...content)
}

const highestItem = (avif: Buffer, list: Box): number =>
  Math.max(0, ...entriesIn(avif, list).map(({ body }) => avif.readUInt16BE(body + 4)))

/**
 * Appends entries to a list and increases its count.
 * @param at offset of the count of two bytes
 */
function withCount(content: Buffer, added: number, more: readonly Buffer[], at: number): Buffer {
  const whole = Buffer.concat([content, ...more])
  whole.writeUInt16BE(whole.readUInt16BE(at) + added, at)
  return whole
}

function entryOf({ id, type }: Item): Buffer {
  const head = Buffer.from(`\x02\0\0\0\0\0\0\0${type}\0`, 'latin1')
  head.writeUInt16BE(id, 4)
  return makeBox('infe', head, ...(type === 'mime' ? [Buffer.from('application/rdf+xml\0')] : []))
}

const referenceOf = (from: number, to: number): Buffer => makeBox('cdsc', uint16(from, 1, to))

/** Writes the entries with the field sizes that the box already uses. */
function locationsOf(iloc: Buffer, items: readonly Item[], start: number): readonly Buffer[] {
  const version = iloc.readUInt8(0)
  const sizes = fieldSizes(iloc, { body: 0 })
  let at = start
  return items.map(({ id, data }) => {
    const fields: [value: number, bytes: number][] = [
      [id, 2],
      ...(version === 0 ? [] : [[0, 2] as [number, number]]),
      [0, 2],
      [sizes.offset === 0 ? at : 0, sizes.base],
      [1, 2],
      [0, sizes.index],
      [at, sizes.offset],
      [data.length, sizes.length],
    ]
    at += data.length
    return Buffer.concat(fields.map(([value, bytes]) => unsigned(value, bytes)))
  })
}

/** Writes color information to an AVIF file (ISO/IEC 23008-12, 6.5.5), because sharp can't. */
import { type Box, boxesIn, readFrom } from '../../node/media-header/heif-boxes.ts'
import { fieldSizes, locationsIn, ownersIn } from '../../node/media-header/heif-items.ts'
import { uint16, unsigned } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import { type HdrColors, TRANSFERS } from './hdr-colors.ts'

/** BT.601. libheif uses this matrix for images without color information. */
const DEFAULT_MATRIX = 6

/**
 * Writes the primaries and the transfer curve to an AVIF.
 * @param avif a single image written by libheif, with all data after its metadata
 */
export function withColors(avif: Buffer, { primaries, curve }: HdrColors): Buffer {
  const { meta, parts, container, item } = primaryOf(avif)
  const named = boxesIn(avif, container.body, container.end).find(
    ({ type, body }) => type === 'colr' && avif.toString('latin1', body, body + 4) === 'nclx',
  )
  if (named !== undefined) return overwritten(avif, named, { primaries, curve })
  const numbers = uint16(primaries, TRANSFERS[curve], DEFAULT_MATRIX)
  const colors = makeBox('colr', Buffer.from('nclx'), numbers, Buffer.from([0x80]))
  const moved = Buffer.from(avif)
  const more = metaWith(avif, item, colors).length - (meta.end - meta.start)
  moveData(moved, inside(parts, 'iloc'), more, meta.end)
  return Buffer.concat([
    moved.subarray(0, meta.start),
    metaWith(moved, item, colors),
    moved.subarray(meta.end),
  ])
}

/**
 * Adds an ICC profile to the image in a copy of the file, for our own decoder. Puts the changed metadata at the end, so that no data moves.
 * @param heif any HEIF file without a profile
 * @returns undefined if the file's metadata isn't as expected
 */
export function withProfile(heif: Buffer, icc: Buffer): Buffer | undefined {
  const colors = makeBox('colr', Buffer.from('prof'), icc)
  try {
    const { meta, item } = primaryOf(heif)
    const metadata = metaWith(heif, item, colors)
    const hidden = Buffer.concat([heif, metadata])
    hidden.write('free', meta.start + 4, 'latin1')
    return hidden
  } catch {
    return undefined
  }
}

/**
 * Finds the primary image and the boxes that list its properties.
 * @throws Error if the file has no primary image or no properties
 */
function primaryOf(file: Buffer) {
  const meta = inside(boxesIn(file, 0, file.length), 'meta')
  const parts = boxesIn(file, meta.body + 4, meta.end)
  const properties = inside(parts, 'iprp')
  const container = inside(boxesIn(file, properties.body, properties.end), 'ipco')
  const primary = inside(parts, 'pitm')
  const item = readFrom(file, primary.body + 4, primary.end).number(
    file.readUInt8(primary.body) === 0 ? 2 : 4,
  )
  return { meta, parts, properties, container, item }
}

/**
 * Returns the file's metadata with one more property of the item.
 * @throws Error if the item has no properties, if the file has too many, or if a box to enlarge doesn't have its length in 32 bits
 */
function metaWith(file: Buffer, item: number, property: Buffer): Buffer {
  const { meta, properties, container } = primaryOf(file)
  const owners = inside(boxesIn(file, properties.body, properties.end), 'ipma')
  const index = boxesIn(file, container.body, container.end).length + 1
  const entry = ownersIn(file, owners).find((one) => one.item === item)
  if (entry === undefined) throw new Error("The AVIF's image has no properties")
  const { countAt, end, indexSize } = entry
  if (index > (indexSize === 2 ? 0x7fff : 0x7f)) throw new Error('The image has too many properties')
  const owned = unsigned(index, indexSize)
  const changed = Buffer.from(file)
  changed.writeUInt8(changed.readUInt8(countAt) + 1, countAt)
  const both = property.length + owned.length
  for (const [box, more] of [
    [container, property.length],
    [owners, owned.length],
    [properties, both],
    [meta, both],
  ] as const) {
    if (changed.readUInt32BE(box.start) !== box.end - box.start) throw new Error('A box is too large')
    changed.writeUInt32BE(box.end - box.start + more, box.start)
  }
  const added = [
    [container.end, property],
    [end, owned],
  ] as const
  const [first, second] = container.end <= end ? added : ([added[1], added[0]] as const)
  return Buffer.concat([
    changed.subarray(meta.start, first[0]),
    first[1],
    changed.subarray(first[0], second[0]),
    second[1],
    changed.subarray(second[0], meta.end),
  ])
}

/** Keeps the matrix that libheif wrote, because it matches the pixels. For example, lossless images use a different matrix. */
function overwritten(avif: Buffer, { body }: Box, { primaries, curve }: HdrColors): Buffer {
  const changed = Buffer.from(avif)
  changed.writeUInt16BE(primaries, body + 4)
  changed.writeUInt16BE(TRANSFERS[curve], body + 6)
  return changed
}

export function inside(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((one) => one.type === type)
  if (found === undefined) throw new RangeError(`The AVIF has no ${type}`)
  return found
}

/**
 * Adjusts the data offsets that count from the start of the file (ISO/IEC 14496-12, 8.11.3).
 * @param behind data before this offset doesn't move
 * @throws RangeError if only some of the data of an item with a base offset moves
 */
export function moveData(avif: Buffer, box: Box, by: number, behind: number): void {
  const sizes = fieldSizes(avif, box)
  const move = (at: number, bytes: number) =>
    bytes === 8
      ? avif.writeBigUInt64BE(avif.readBigUInt64BE(at) + BigInt(by), at)
      : avif.writeUIntBE(avif.readUIntBE(at, bytes) + by, at, bytes)
  for (const { base, baseAt, extents } of locationsIn(avif, box)) {
    const moved = base === 'file' ? extents.filter(({ offset }) => offset >= behind) : []
    if (sizes.base === 0) for (const { at } of moved) move(at, sizes.offset)
    else if (moved.length > 0) {
      if (moved.length < extents.length) throw new RangeError('Only some of the data moves')
      move(baseAt, sizes.base)
    }
  }
}

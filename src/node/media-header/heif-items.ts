/** Reads the items of a HEIF file: their types, properties and references, and the location of their data (ISO/IEC 14496-12, 8.11). */
import { type Box, boxesIn, createPartCount, readFrom, type Reader } from './heif-boxes.ts'

export type Extent = { readonly offset: number; readonly length: number }

type Location = {
  /** What the extents' offsets are relative to. `other` means the data of another item, which no image uses. */
  readonly base: 'file' | 'itemData' | 'other'
  readonly extents: readonly Extent[]
}

export type Reference = { readonly type: string; readonly from: number; readonly to: readonly number[] }

export type Items = ReturnType<typeof readItems>

/** @throws RangeError if a box ends before its content does */
export function readItems(file: Buffer, meta: Pick<Box, 'body' | 'end'>) {
  // 'meta' is a full box: it begins with four bytes for version and flags.
  const boxes = boxesIn(file, meta.body + 4, meta.end)
  const within = <T>(type: string, read: (body: number, end: number) => T): T | undefined => {
    const box = boxes.find((one) => one.type === type)
    return box === undefined ? undefined : read(box.body, box.end)
  }
  const types = within('iinf', (body, end) => readTypes(file, body, end)) ?? new Map<number, ItemType>()
  const locations = new Map<number, Location>(
    within('iloc', (body, end) => [...locationsIn(file, { body, end })])?.map((one) => [one.item, one]),
  )
  const properties =
    within('iprp', (body, end) => readProperties(file, body, end)) ?? new Map<number, Box[]>()
  const itemData = within('idat', (body) => body)
  function stretchesOf(item: number): readonly Extent[] | undefined {
    const { base, extents } = locations.get(item) ?? { base: 'other', extents: [] }
    if (base === 'file') return extents
    if (base === 'other' || itemData === undefined) return undefined
    return extents.map(({ offset, length }) => ({ offset: itemData + offset, length }))
  }

  const pieceTogether = createPieces(file)
  const stretches = [...locations.values()].flatMap(({ base, extents }) => (base === 'file' ? extents : []))
  return {
    primary: within('pitm', (body, end) =>
      readFrom(file, body + 4, end).number(file.readUInt8(body) === 0 ? 2 : 4),
    ),
    /** Numbers of all items that have a type. */
    all: [...types.keys()],
    /**
     * Returns the item's type: four letters, such as `hvc1` or `grid`, or the content type of a `mime` item, such as `application/rdf+xml`.
     * undefined for an item without a type.
     */
    typeOf: (item: number): string | undefined => types.get(item)?.type,
    shown: [...types].flatMap(([item, { isHidden }]) => (isHidden ? [] : [item])),
    /** Returns the item's properties in the order in which to apply them (ISO/IEC 23008-12, 9.3). */
    propertiesOf: (item: number): readonly Box[] => properties.get(item) ?? [],
    references: within('iref', (body, end) => readReferences(file, body, end)) ?? [],
    dataOf(item: number): Buffer | undefined {
      const extents = stretchesOf(item)
      return extents && pieceTogether(item, extents)
    },
    /** Returns where the item's data is in the file, or undefined if that isn't known. */
    placesOf: stretchesOf,
    /** Highest end of all extents whose offsets are relative to the start of the file. */
    end: stretches.reduce((most, { offset, length }) => Math.max(most, offset + length), 0),
  }
}

/**
 * Joins the extents of each item, once per item. Limits the memory for all items to the file's size, because a hostile file can
 * build every item from the same bytes.
 */
function createPieces(file: Buffer): (item: number, extents: readonly Extent[]) => Buffer {
  const joined = new Map<number, Buffer>()
  let room = file.length
  return (item, extents) => {
    const known = joined.get(item)
    if (known !== undefined) return known
    const parts = extents.map(({ offset, length }) => file.subarray(offset, offset + length))
    if (parts.length === 1 && parts[0] !== undefined) return parts[0]
    room -= parts.reduce((sum, part) => sum + part.length, 0)
    if (room < 0) throw new RangeError('The items are larger than the file')
    const whole = Buffer.concat(parts)
    joined.set(item, whole)
    return whole
  }
}

type ItemType = { readonly type: string; readonly isHidden: boolean }

const HIDDEN = 1

/** Returns the entries of an `iinf` (8.11.6). */
export const entriesIn = (file: Buffer, { body, end }: Pick<Box, 'body' | 'end'>): readonly Box[] =>
  boxesIn(file, body + 4 + (file.readUInt8(body) === 0 ? 2 : 4), end)

function readTypes(file: Buffer, body: number, end: number): Map<number, ItemType> {
  return new Map(
    entriesIn(file, { body, end }).flatMap((entry) => {
      const version = file.readUInt8(entry.body)
      if (entry.type !== 'infe' || version < 2) return []
      const read = readFrom(file, entry.body + 4, entry.end)
      const item = read.number(version === 2 ? 2 : 4)
      read.number(2)
      const type = read.text(4)
      // After the type come two zero-terminated strings: the item's name and its content type.
      const [, contentType = ''] = file.toString('latin1', read.at(), entry.end).split('\0', 2)
      const isHidden = (file.readUInt8(entry.body + 3) & HIDDEN) !== 0
      return [[item, { type: type === 'mime' ? contentType : type, isHidden }] as const]
    }),
  )
}

/** Returns the sizes of the fields of an `iloc`, in bytes. */
export function fieldSizes(file: Buffer, { body }: Pick<Box, 'body'>) {
  const sizes = file.readUInt16BE(body + 4)
  const index = file.readUInt8(body) === 0 ? 0 : sizes & 15
  return { offset: sizes >> 12, length: (sizes >> 8) & 15, base: (sizes >> 4) & 15, index }
}

/** Yields the entries of an `iloc` (8.11.3), each with the file offsets of the entry and of its fields. */
export function* locationsIn(file: Buffer, box: Pick<Box, 'body' | 'end'>) {
  const version = file.readUInt8(box.body)
  const sizes = fieldSizes(file, box)
  const idSize = version < 2 ? 2 : 4
  const read = readFrom(file, box.body + 6, box.end)
  const count = createPartCount()
  for (let left = read.number(idSize); left > 0; left--) {
    count()
    const at = read.at()
    const item = read.number(idSize)
    const method = version === 0 ? 0 : read.number(2) & 15
    read.number(2)
    const baseAt = read.at()
    const start = read.number(sizes.base)
    const extents: (Extent & { readonly at: number })[] = []
    for (let more = read.number(2); more > 0; more--) {
      count()
      read.number(sizes.index)
      const place = read.at()
      const offset = start + read.number(sizes.offset)
      extents.push({ at: place, offset, length: read.number(sizes.length) })
    }
    const base: Location['base'] = method === 0 ? 'file' : method === 1 ? 'itemData' : 'other'
    yield { item, base, extents, at, baseAt, end: read.at() }
  }
}

/** Yields the entries of an `ipma` (23008-12, 9.3), each with the file offsets of the entry and of its fields. */
export function* ownersIn(file: Buffer, { body, end }: Box, count = createPartCount()) {
  const idSize = file.readUInt8(body) > 0 ? 4 : 2
  const indexSize = (file.readUInt8(body + 3) & 1) + 1
  const read = readFrom(file, body + 4, end)
  for (let left = read.number(4); left > 0; left--) {
    count()
    const at = read.at()
    const item = read.number(idSize)
    const countAt = read.at()
    const properties = []
    for (let more = read.number(1); more > 0; more--) {
      count()
      // The highest bit marks an essential property. Indexes start at 1; 0 means no property.
      const place = read.at()
      properties.push({ at: place, index: read.number(indexSize) & (indexSize === 2 ? 0x7fff : 0x7f) })
    }
    yield { item, properties, indexSize, at, countAt, end: read.at() }
  }
}

function readProperties(file: Buffer, body: number, end: number): Map<number, Box[]> {
  const boxes = boxesIn(file, body, end)
  const container = boxes.find(({ type }) => type === 'ipco')
  const all = container === undefined ? [] : boxesIn(file, container.body, container.end)
  const items = new Map<number, Box[]>()
  const count = createPartCount()
  for (const box of boxes) {
    if (box.type !== 'ipma') continue
    for (const { item, properties } of ownersIn(file, box, count)) {
      const owned = items.get(item) ?? []
      owned.push(...properties.flatMap(({ index }) => all[index - 1] ?? []))
      items.set(item, owned)
    }
  }
  return items
}

function readReferences(file: Buffer, body: number, end: number): Reference[] {
  const idSize = file.readUInt8(body) === 0 ? 2 : 4
  const count = createPartCount()
  const readOne = (read: Reader): number => {
    count()
    return read.number(idSize)
  }
  return boxesIn(file, body + 4, end).map((box) => {
    const read = readFrom(file, box.body, box.end)
    const from = read.number(idSize)
    return { type: box.type, from, to: Array.from({ length: read.number(2) }, () => readOne(read)) }
  })
}

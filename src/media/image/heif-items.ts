/** The items of a HEIF file: what there is, where its bytes lie, what belongs to what (ISO/IEC 14496-12, 8.11). */
import { type Box, boxesIn, readFrom } from './heif-boxes.ts'

export type Extent = { readonly offset: number; readonly length: number }

type Location = {
  /** Where the extents count from; `other` is another item, which nobody uses for pictures. */
  readonly base: 'file' | 'itemData' | 'other'
  readonly extents: readonly Extent[]
}

export type Reference = { readonly type: string; readonly from: number; readonly to: readonly number[] }

export type Items = {
  readonly primary: number | undefined
  /** Four letters, such as `hvc1` or `grid`, or for `mime` the type of its content, such as `application/rdf+xml`. */
  typeOf(item: number): string | undefined
  /** In the order in which they are to be applied (ISO/IEC 23008-12, 9.3). */
  propertiesOf(item: number): readonly Box[]
  readonly references: readonly Reference[]
  /** Its data; undefined where it can't be had. */
  dataOf(item: number): Buffer | undefined
  /** Where all stretches together end that are counted from the file's beginning. */
  readonly end: number
}

/** @throws RangeError where a box ends before what it has to hold */
export function readItems(file: Buffer, meta: Box): Items {
  // 'meta' is a full box: four bytes of version and flags come first.
  const boxes = boxesIn(file, meta.body + 4, meta.end)
  const within = <T>(type: string, read: (body: number, end: number) => T): T | undefined => {
    const box = boxes.find((one) => one.type === type)
    return box === undefined ? undefined : read(box.body, box.end)
  }
  const types = within('iinf', (body, end) => readTypes(file, body, end)) ?? new Map<number, string>()
  const locations = within('iloc', (body) => readLocations(file, body)) ?? new Map<number, Location>()
  const properties =
    within('iprp', (body, end) => readProperties(file, body, end)) ?? new Map<number, Box[]>()
  const itemData = within('idat', (body) => body)
  function stretchesOf(item: number): readonly Extent[] | undefined {
    const { base, extents } = locations.get(item) ?? { base: 'other', extents: [] }
    if (base === 'file') return extents
    if (base === 'other' || itemData === undefined) return undefined
    return extents.map(({ offset, length }) => ({ offset: itemData + offset, length }))
  }

  const stretches = [...locations.values()].flatMap(({ base, extents }) => (base === 'file' ? extents : []))
  return {
    primary: within('pitm', (body) => readFrom(file, body + 4).number(file.readUInt8(body) === 0 ? 2 : 4)),
    typeOf: (item) => types.get(item),
    propertiesOf: (item) => properties.get(item) ?? [],
    references: within('iref', (body, end) => readReferences(file, body, end)) ?? [],
    dataOf(item) {
      const stretches = stretchesOf(item)
      const length = stretches?.reduce((sum, stretch) => sum + stretch.length, 0) ?? 0
      if (length > file.length) throw new RangeError('An item is larger than its file')
      const parts = stretches?.map(({ offset, length }) => file.subarray(offset, offset + length))
      return parts?.length === 1 ? parts[0] : parts && Buffer.concat(parts)
    },
    end: stretches.reduce((most, { offset, length }) => Math.max(most, offset + length), 0),
  }
}

function readTypes(file: Buffer, body: number, end: number): Map<number, string> {
  const counter = file.readUInt8(body) === 0 ? 2 : 4
  return new Map(
    boxesIn(file, body + 4 + counter, end).flatMap((entry) => {
      const version = file.readUInt8(entry.body)
      if (entry.type !== 'infe' || version < 2) return []
      const read = readFrom(file, entry.body + 4)
      const item = read.number(version === 2 ? 2 : 4)
      read.number(2)
      const type = read.text(4)
      // Its name and the type of its content follow, each with a zero behind it.
      const [, contentType = ''] = file.toString('latin1', read.at(), entry.end).split('\0')
      return [[item, type === 'mime' ? contentType : type] as const]
    }),
  )
}

function readLocations(file: Buffer, body: number): Map<number, Location> {
  const version = file.readUInt8(body)
  const read = readFrom(file, body + 4)
  const sizes = read.number(2)
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexSize = version === 0 ? 0 : sizes & 15
  const idSize = version < 2 ? 2 : 4
  const items = new Map<number, Location>()
  for (let left = read.number(idSize); left > 0; left--) {
    const item = read.number(idSize)
    const method = version === 0 ? 0 : read.number(2) & 15
    read.number(2)
    const start = read.number(baseSize)
    const extents: Extent[] = []
    for (let more = read.number(2); more > 0; more--) {
      read.number(indexSize)
      const offset = start + read.number(offsetSize)
      extents.push({ offset, length: read.number(lengthSize) })
    }
    items.set(item, { base: method === 0 ? 'file' : method === 1 ? 'itemData' : 'other', extents })
  }
  return items
}

function readProperties(file: Buffer, body: number, end: number): Map<number, Box[]> {
  const boxes = boxesIn(file, body, end)
  const container = boxes.find(({ type }) => type === 'ipco')
  const all = container === undefined ? [] : boxesIn(file, container.body, container.end)
  const items = new Map<number, Box[]>()
  for (const { type, body: at } of boxes) {
    if (type !== 'ipma') continue
    const wideIds = file.readUInt8(at) > 0
    const wideIndexes = (file.readUInt8(at + 3) & 1) === 1
    const read = readFrom(file, at + 4)
    for (let left = read.number(4); left > 0; left--) {
      const item = read.number(wideIds ? 4 : 2)
      const owned = items.get(item) ?? []
      for (let more = read.number(1); more > 0; more--) {
        // The highest bit says that it may not be overlooked; indexes count from 1.
        const index = wideIndexes ? read.number(2) & 0x7fff : read.number(1) & 0x7f
        const property = all[index - 1]
        if (property !== undefined) owned.push(property)
      }
      items.set(item, owned)
    }
  }
  return items
}

function readReferences(file: Buffer, body: number, end: number): Reference[] {
  const idSize = file.readUInt8(body) === 0 ? 2 : 4
  return boxesIn(file, body + 4, end).map(({ type, body: at }) => {
    const read = readFrom(file, at)
    const from = read.number(idSize)
    const count = read.number(2)
    return { type, from, to: Array.from({ length: count }, () => read.number(idSize)) }
  })
}

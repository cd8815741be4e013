/** Removes the location from an Exif block by rewriting it without the tags that hold or may hold one. */
import { unlessTooShort } from './image-failure.ts'
import { type TiffBlock, tiffBlock, withoutExifName } from './tiff-block.ts'

/** Directories that are rewritten. The directory of the embedded thumbnail isn't: the thumbnail has its own metadata. */
const NESTED: ReadonlySet<number> = new Set([
  0x8769, // Exif
  0xa005, // Interoperability
])

/**
 * Tags that are dropped. Maker notes and the private data of DNG are, because some cameras write cities and landmarks there in an
 * undocumented format.
 */
const DROPPED: ReadonlySet<number> = new Set([
  0x014a, // further images
  0x02bc, // XMP
  0x83bb, // IPTC
  0x8649, // Photoshop
  0x8825, // GPS
  0x830e, // GeoTIFF: pixel scale
  0x8480, // GeoTIFF: transformation
  0x8482, // GeoTIFF: tie points
  0x85d8, // GeoTIFF: transformation
  0x87af, // GeoTIFF: keys
  0x87b0, // GeoTIFF: numbers
  0x87b1, // GeoTIFF: texts
  0x927c, // maker note
  0xc634, // private data of DNG
])

/** Bytes per value, by type code. */
const WIDTHS: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

const HEAD_BYTES = 8
const ENTRY_BYTES = 12
const tableBytes = (entries: number): number => 2 + entries * ENTRY_BYTES + 4

type Kept = { readonly tag: number } & (
  | { readonly kind: 'value'; readonly type: number; readonly count: number; readonly bytes: Buffer }
  | { readonly kind: 'directory'; readonly entries: readonly Kept[] }
)

/**
 * Returns a block of the same length without location. An unreadable block comes back empty, because its content is unknown.
 * @param exif with or without the `Exif` prefix; the result has none
 */
export function exifWithoutLocation(exif: Buffer): Buffer {
  const block = withoutExifName(exif)
  const order = block.toString('latin1', 0, 2)
  const tiff = tiffBlock(block, order)
  const kept = tiff && unlessTooShort(() => keptIn(block, tiff))
  const rewritten = written(kept ?? [], order === 'MM' ? 'MM' : 'II')
  const room = Buffer.alloc(block.length)
  // A block whose values overlap may get longer. No camera writes one.
  const fitting = rewritten.length <= block.length ? rewritten : written([], 'II')
  fitting.copy(room)
  return room
}

/** @throws RangeError if the block ends early, or if its values overlap so much that they are larger than the block */
function keptIn(block: Buffer, tiff: TiffBlock): readonly Kept[] {
  const seen = new Set<number>()
  let room = block.length
  function directory(start: number): readonly Kept[] {
    if (seen.has(start)) return []
    seen.add(start)
    return [...tiff.directoryAt(start)].flatMap(([tag, { type, count, at }]): readonly Kept[] => {
      if (NESTED.has(tag)) return [{ tag, kind: 'directory', entries: directory(tiff.read32(at)) }]
      const length = (WIDTHS[type] ?? 0) * count
      if (DROPPED.has(tag) || length === 0) return []
      const place = length <= 4 ? at : tiff.read32(at)
      const bytes = block.subarray(place, place + length)
      if (bytes.length < length) return []
      room -= length
      if (room < 0) throw new RangeError('The values are larger than the block')
      return [{ tag, kind: 'value', type, count, bytes }]
    })
  }
  return directory(tiff.read32(4))
}

const DIRECTORY_TYPE = 4

function written(entries: readonly Kept[], order: 'II' | 'MM'): Buffer {
  const isLittle = order === 'II'
  const put = (to: Buffer, value: number, at: number, width: 2 | 4) =>
    isLittle ? to.writeUIntLE(value, at, width) : to.writeUIntBE(value, at, width)

  /** @param start position of the directory in the block */
  function directory(kept: readonly Kept[], start: number): Buffer {
    const table = Buffer.alloc(tableBytes(kept.length))
    const contents: Buffer[] = []
    let end = start + table.length
    put(table, kept.length, 0, 2)
    for (const [index, entry] of kept.entries()) {
      const at = 2 + index * ENTRY_BYTES
      const isDirectory = entry.kind === 'directory'
      put(table, entry.tag, at, 2)
      put(table, isDirectory ? DIRECTORY_TYPE : entry.type, at + 2, 2)
      put(table, isDirectory ? 1 : entry.count, at + 4, 4)
      const content = isDirectory ? directory(entry.entries, end) : entry.bytes
      if (!isDirectory && content.length <= 4) {
        content.copy(table, at + 8)
        continue
      }
      put(table, end, at + 8, 4)
      contents.push(content, Buffer.alloc(content.length % 2))
      end += content.length + (content.length % 2)
    }
    return Buffer.concat([table, ...contents])
  }

  const head = Buffer.alloc(HEAD_BYTES)
  head.write(order, 0, 'latin1')
  put(head, 42, 2, 2)
  put(head, HEAD_BYTES, 4, 4)
  return Buffer.concat([head, directory(entries, HEAD_BYTES)])
}

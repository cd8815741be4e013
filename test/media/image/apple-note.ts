/** Exif data as iPhones write it, with the maker note that stores a photo's HDR headroom. */
import { uint32 } from '../../../src/media/big-endian.ts'

type Entry = readonly [tag: number, type: number, count: number, value: number]

function directory(...entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(2 + 12 * entries.length + 4)
  bytes.writeUInt16BE(entries.length)
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 2 + index * 12
    bytes.writeUInt16BE(tag, at)
    bytes.writeUInt16BE(type, at + 2)
    bytes.writeUInt32BE(count, at + 4)
    bytes.writeUInt32BE(value, at + 8)
  }
  return bytes
}

/**
 * Same layout as on an iPhone: a directory with one entry, then the camera's directory with one entry, then the maker note.
 * @param values of tags
 */
export function exifWith(values: Readonly<Record<number, number>>): Buffer {
  const [tags, numbers] = [Object.keys(values), Object.values(values)]
  const dataAt = 16 + tags.length * 12 + 4
  const note = Buffer.concat([
    Buffer.from('Apple iOS\0\0\x01MM', 'latin1'),
    directory(...tags.map((tag, index): Entry => [Number(tag), 10, 1, dataAt + index * 8])),
    uint32(...numbers.flatMap((value) => [Math.round(value * 1e6), 1e6])),
  ])
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    directory([0x8769, 4, 1, 26]),
    directory([0x927c, 7, note.length, 44]),
    note,
  ])
}

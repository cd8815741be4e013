/** Exif data as iPhones write it, with the maker note that stores a photo's HDR headroom. */

function oneEntry(tag: number, type: number, count: number, value: number): Buffer {
  const directory = Buffer.alloc(2 + 12 + 4)
  directory.writeUInt16BE(1, 0)
  directory.writeUInt16BE(tag, 2)
  directory.writeUInt16BE(type, 4)
  directory.writeUInt32BE(count, 6)
  directory.writeUInt32BE(value, 10)
  return directory
}

/** Same layout as on an iPhone: a directory with one entry, then the camera's directory with one entry, then the maker note. */
export function exifWith(values: readonly (readonly [tag: number, value: number])[]): Buffer {
  const fractions = values.flatMap(([, value]) => [Math.round(value * 1e6), 1e6])
  const note = Buffer.alloc(14 + 2 + values.length * 12 + 4 + fractions.length * 4)
  note.write('Apple iOS\0\0\x01MM', 0, 'latin1')
  note.writeUInt16BE(values.length, 14)
  const dataAt = 16 + values.length * 12 + 4
  for (const [index, [tag]] of values.entries()) {
    const at = 16 + index * 12
    note.writeUInt16BE(tag, at)
    note.writeUInt16BE(10, at + 2)
    note.writeUInt32BE(1, at + 4)
    note.writeUInt32BE(dataAt + index * 8, at + 8)
  }
  for (const [index, number] of fractions.entries()) note.writeInt32BE(number, dataAt + index * 4)
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    oneEntry(0x8769, 4, 1, 26),
    oneEntry(0x927c, 7, note.length, 44),
    note,
  ])
}

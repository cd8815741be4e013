/**
 * Whether a HEIF file was cut short: decoders fill up what is missing, so this looks at the file's own table of where
 * its pictures lie ('iloc', ISO/IEC 14496-12, 8.11.3).
 */
export function endsTooEarly(file: Buffer): boolean {
  try {
    for (const box of boxesIn(file, 0, file.length)) {
      if (box.end > file.length) return true
      if (box.type !== 'meta') continue
      // 'meta' is a full box: four bytes of version and flags come first.
      for (const inner of boxesIn(file, box.body + 4, box.end))
        if (inner.type === 'iloc' && reachesBeyond(file, inner.body)) return true
    }
    return false
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

type Box = { readonly type: string; readonly body: number; readonly end: number }

function* boxesIn(file: Buffer, from: number, to: number): Generator<Box> {
  let at = from
  while (at + 8 <= to) {
    const shortSize = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const long = shortSize === 1
    const size = long ? Number(file.readBigUInt64BE(at + 8)) : shortSize === 0 ? to - at : shortSize
    const head = long ? 16 : 8
    if (size < head) return
    yield { type, body: at + head, end: at + size }
    at += size
  }
}

function reachesBeyond(file: Buffer, body: number): boolean {
  const version = file.readUInt8(body)
  let at = body + 4
  const read = (size: number): number => {
    const value = size === 0 ? 0 : size === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, size)
    at += size
    return value
  }
  const sizes = read(2)
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexSize = version === 0 ? 0 : sizes & 15
  const items = read(version < 2 ? 2 : 4)
  for (let item = 0; item < items; item++) {
    read(version < 2 ? 2 : 4)
    // Method 0 counts from the start of the file; the others point into boxes, whose ends are checked above.
    const inFile = version === 0 || (read(2) & 15) === 0
    read(2)
    const base = read(baseSize)
    const extents = read(2)
    for (let extent = 0; extent < extents; extent++) {
      read(indexSize)
      const offset = read(offsetSize)
      const length = read(lengthSize)
      if (inFile && base + offset + length > file.length) return true
    }
  }
  return false
}

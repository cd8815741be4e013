/** Writes color information to an AVIF file (ISO/IEC 23008-12, 6.5.5), because sharp can't. */
import { type Box, boxesIn, readFrom } from '../../node/media-header/heif-boxes.ts'
import { type HdrColors, TRANSFERS } from './hdr-colors.ts'

/** BT.601. libheif uses this matrix for images without color information. */
const DEFAULT_MATRIX = 6

/** @param avif a single image written by libheif, with all data after its metadata */
export function withColors(avif: Buffer, { primaries, curve }: HdrColors): Buffer {
  const meta = inside(boxesIn(avif, 0, avif.length), 'meta')
  const parts = boxesIn(avif, meta.body + 4, meta.end)
  const properties = inside(parts, 'iprp')
  const container = inside(boxesIn(avif, properties.body, properties.end), 'ipco')
  const owners = inside(boxesIn(avif, properties.body, properties.end), 'ipma')
  const named = boxesIn(avif, container.body, container.end).find(
    ({ type, body }) => type === 'colr' && avif.toString('latin1', body, body + 4) === 'nclx',
  )
  if (named !== undefined) return overwritten(avif, named, { primaries, curve })
  const primary = inside(parts, 'pitm')
  const item = readFrom(avif, primary.body + 4, primary.end).number(
    avif.readUInt8(primary.body) === 0 ? 2 : 4,
  )
  const index = boxesIn(avif, container.body, container.end).length + 1
  const { count, end, index: wide } = ownerEntry(avif, owners, item)

  const colors = Buffer.from('\0\0\0\x13colrnclx\0\0\0\0\0\0\x80', 'latin1')
  for (const [field, value] of [primaries, TRANSFERS[curve], DEFAULT_MATRIX].entries())
    colors.writeUInt16BE(value, 12 + field * 2)
  const owned = Buffer.alloc(wide ? 2 : 1)
  owned.writeUIntBE(index, 0, owned.length)

  const changed = Buffer.from(avif)
  changed.writeUInt8(changed.readUInt8(count) + 1, count)
  for (const [box, more] of [
    [container, colors.length],
    [owners, owned.length],
    [properties, colors.length + owned.length],
    [meta, colors.length + owned.length],
  ] as const)
    changed.writeUInt32BE(box.end - box.body + 8 + more, box.body - 8)
  moveData(changed, inside(parts, 'iloc'), colors.length + owned.length)
  return Buffer.concat([
    changed.subarray(0, container.end),
    colors,
    changed.subarray(container.end, end),
    owned,
    changed.subarray(end),
  ])
}

/** Keeps the matrix that libheif wrote, because it matches the pixels. For example, lossless images use a different matrix. */
function overwritten(avif: Buffer, { body }: Box, { primaries, curve }: HdrColors): Buffer {
  const changed = Buffer.from(avif)
  changed.writeUInt16BE(primaries, body + 4)
  changed.writeUInt16BE(TRANSFERS[curve], body + 6)
  return changed
}

function inside(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((one) => one.type === type)
  if (found === undefined) throw new Error(`The AVIF has no ${type}`)
  return found
}

/** Finds the item's property list. Returns the offset of its count and its end. */
function ownerEntry(avif: Buffer, { body, end: last }: Box, wanted: number) {
  const idBytes = avif.readUInt8(body) > 0 ? 4 : 2
  const index = (avif.readUInt8(body + 3) & 1) === 1
  const read = readFrom(avif, body + 4, last)
  for (let left = read.number(4); left > 0; left--) {
    const item = read.number(idBytes)
    const count = read.at()
    const end = count + 1 + avif.readUInt8(count) * (index ? 2 : 1)
    if (item === wanted) return { count, end, index }
    read.text(end - count)
  }
  throw new Error("The AVIF's image has no properties")
}

/** Adjusts all data offsets that count from the start of the file (ISO/IEC 14496-12, 8.11.3). */
function moveData(avif: Buffer, { body, end }: Box, by: number): void {
  const version = avif.readUInt8(body)
  const read = readFrom(avif, body + 4, end)
  const sizes = read.number(2)
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  const move = (at: number, bytes: number) => avif.writeUIntBE(avif.readUIntBE(at, bytes) + by, at, bytes)
  for (let left = read.number(version < 2 ? 2 : 4); left > 0; left--) {
    read.number(version < 2 ? 2 : 4)
    const isInFile = version === 0 || (read.number(2) & 15) === 0
    read.number(2)
    if (isInFile && baseBytes > 0) move(read.at(), baseBytes)
    read.number(baseBytes)
    for (let more = read.number(2); more > 0; more--) {
      read.number(indexBytes)
      if (isInFile && baseBytes === 0) move(read.at(), offsetBytes)
      read.number(offsetBytes + lengthBytes)
    }
  }
}

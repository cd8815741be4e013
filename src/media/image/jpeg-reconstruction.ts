/**
 * Removes metadata from the data that reconstructs the JPEG from which a JPEG XL was made (ISO/IEC 18181-2, `jbrd`). This data contains the
 * JPEG's segments other than pixels. After the removal, the reconstructed JPEG is the original without its metadata.
 */
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { unlessTooShort } from './image-failure.ts'

/** Two of the kinds of segments. Only `other` has its content in this data. */
const KIND = { other: 0, profile: 1 } as const

/** Markers minus 0xc0, as they are stored. The last one announces bytes between two segments. */
const MARKER = {
  eoi: 0x19,
  sos: 0x1a,
  dri: 0x1d,
  firstApp: 0x20,
  lastApp: 0x2f,
  comment: 0x3e,
  between: 0x3f,
} as const

const MOST_MARKERS = 16_384
/** Maximum unpacked size of a photo's segments, comments and appended data. */
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024

type Bits = ReturnType<typeof bitsOf>
/** Number of bits, and what to add to their value. */
type Range = readonly [bits: number, offset: number]

/** A segment or a comment. If the stored data contains it, `length` is its length there. */
type Part = { readonly marker: number; readonly kind: number; readonly length: number }

/** Returns the data without metadata; undefined if it is too long, can't be read, or has bytes between segments, which no camera writes. */
export function withoutJpegMetadata(data: Buffer): Buffer | undefined {
  return data.length > MOST_BYTES ? undefined : unlessTooShort(() => rewritten(data))
}

/** Maximum size of the data. Photos need less, and reading this much bit by bit takes a second. */
const MOST_BYTES = 16 * 1024 * 1024

function rewritten(data: Buffer): Buffer | undefined {
  const bits = bitsOf(data)
  const isGray = bits.read(1)
  const markers = markersIn(bits)
  if (markers.includes(MARKER.between)) return undefined
  const apps = markers.filter(isApp).map((marker): Part => ({
    marker,
    kind: bits.choice([0, 0], [0, 1], [1, 2], [2, 4]),
    length: bits.read(16) + 1,
  }))
  const comments = markers
    .filter((marker) => marker === MARKER.comment)
    .map((marker): Part => ({ marker, kind: KIND.other, length: bits.read(16) + 1 }))
  const rest = bits.at()
  skipTables(bits, isGray === 1)
  skipScans(bits, markers)
  const tailAt = bits.at()
  bits.choice(...TAIL)
  const paddingAt = bits.at()
  if (bits.read(1) === 1) for (let left = bits.read(24); left > 0; left--) bits.read(1)
  const end = bits.at()

  const stored = unpacked(data.subarray(Math.ceil(end / 8)), MOST_UNPACKED_BYTES)
  if (stored === undefined) return undefined
  const kept = keptOf([...apps, ...comments], stored)
  const writer = bitWriter()
  writer.write(isGray, 1)
  let next = 0
  for (const marker of markers) {
    const isPart = isApp(marker)
    if (isPart ? kept.has(apps[next++] ?? NOTHING) : marker !== MARKER.comment) writer.write(marker, 6)
  }
  for (const part of apps) {
    if (!kept.has(part)) continue
    writer.write(part.kind, 2)
    writer.write(part.length - 1, 16)
  }
  writer.copy(data, rest, tailAt)
  // Write an empty tail: choose the first of the four ranges for its length.
  writer.write(0, 2)
  writer.copy(data, paddingAt, end)
  return Buffer.concat([writer.bytes(), brotliCompressSync(Buffer.concat([...kept.values()]))])
}

const NOTHING: Part = { marker: 0, kind: 0, length: 0 }
const TAIL = [
  [0, 0],
  [8, 1],
  [16, 257],
  [22, 65_793],
] as const

const isApp = (marker: number): boolean => marker >= MARKER.firstApp && marker <= MARKER.lastApp

function markersIn(bits: Bits): readonly number[] {
  const markers: number[] = []
  while (markers.at(-1) !== MARKER.eoi) {
    if (markers.length === MOST_MARKERS) throw new RangeError('The JPEG has too many segments')
    markers.push(bits.read(6))
  }
  return markers
}

/** Returns the parts that describe the pixels, with their stored content. */
function keptOf(parts: readonly Part[], stored: Buffer): ReadonlyMap<Part, Buffer> {
  const kept = new Map<Part, Buffer>()
  let at = 0
  for (const part of parts) {
    if (part.kind === KIND.profile) kept.set(part, Buffer.alloc(0))
    if (part.kind !== KIND.other) continue
    const content = stored.subarray(at, at + part.length)
    at += part.length
    if (content.length === part.length && describesPixels(content)) kept.set(part, content)
  }
  return kept
}

/**
 * Returns whether a segment is JFIF or Adobe: a marker, two bytes of length, a name and a few numbers. A longer JFIF segment has a
 * thumbnail.
 */
const describesPixels = (content: Buffer): boolean =>
  (content[0] === 0xe0 && content.length <= 17 && content.toString('latin1', 3, 8) === 'JFIF\0') ||
  (content[0] === 0xee && content.length <= 15 && content.toString('latin1', 3, 8) === 'Adobe')

function skipTables(bits: Bits, isGray: boolean): void {
  for (let left = bits.choice([0, 1], [0, 2], [0, 3], [0, 4]); left > 0; left--) bits.read(4)
  const components = skipComponents(bits, isGray)
  for (let left = components; left > 0; left--) bits.read(2)
  for (let left = bits.choice([0, 4], [3, 2], [4, 10], [6, 26]); left > 0; left--) {
    bits.read(4)
    let symbols = 0
    for (let length = 0; length <= 16; length++) symbols += bits.choice([0, 0], [0, 1], [3, 2], [8, 0])
    for (; symbols > 0; symbols--) bits.choice([2, 0], [2, 4], [4, 8], [8, 1])
  }
}

const CUSTOM_COMPONENTS = 3

/** Skips the components' names, which only custom components have. Returns the number of components. */
function skipComponents(bits: Bits, isGray: boolean): number {
  const type = bits.read(2)
  if (type !== CUSTOM_COMPONENTS) return type === 0 || isGray ? 1 : 3
  const count = bits.choice([0, 1], [0, 2], [0, 3], [0, 4])
  for (let left = count; left > 0; left--) bits.read(8)
  return count
}

const COUNT = [
  [0, 0],
  [2, 1],
  [4, 4],
  [16, 20],
] as const
const BLOCK = [
  [0, 0],
  [3, 1],
  [5, 9],
  [28, 41],
] as const

function skipScans(bits: Bits, markers: readonly number[]): void {
  const scans = markers.filter((marker) => marker === MARKER.sos).length
  for (let scan = 0; scan < scans; scan++) {
    const components = bits.choice([0, 1], [0, 2], [0, 3], [0, 4])
    bits.read(20)
    for (let left = components; left > 0; left--) bits.read(6)
    bits.choice([0, 0], [0, 1], [0, 2], [3, 3])
  }
  if (markers.includes(MARKER.dri)) bits.read(16)
  for (let scan = 0; scan < scans; scan++) {
    for (let left = bits.choice(...COUNT); left > 0; left--) bits.choice(...BLOCK)
    for (let left = bits.choice(...COUNT); left > 0; left--) {
      bits.choice([0, 1], [2, 2], [4, 5], [8, 20])
      bits.choice(...BLOCK)
    }
  }
}

/** Reads numbers bit by bit, beginning with the lowest bit of the first byte. */
function bitsOf(data: Buffer) {
  let position = 0
  function read(count: number): number {
    let value = 0
    for (let bit = 0; bit < count; bit++, position++)
      value += ((data.readUInt8(position >>> 3) >> (position & 7)) & 1) * 2 ** bit
    return value
  }
  return {
    read,
    /** Reads a number from one of four ranges. The first two bits select the range. */
    choice(...ranges: readonly [Range, Range, Range, Range]): number {
      const [bits, offset] = ranges[read(2)] ?? [0, 0]
      return read(bits) + offset
    },
    at: (): number => position,
  }
}

function bitWriter() {
  const bytes: number[] = []
  let position = 0
  const writeBit = (bit: number): void => {
    if ((position & 7) === 0) bytes.push(0)
    bytes[position >>> 3] = (bytes[position >>> 3] ?? 0) | (bit << (position & 7))
    position++
  }
  return {
    write(value: number, count: number): void {
      for (let bit = 0; bit < count; bit++) writeBit((value >>> bit) & 1)
    },
    copy(data: Buffer, from: number, to: number): void {
      for (let at = from; at < to; at++) writeBit(((data[at >>> 3] ?? 0) >> (at & 7)) & 1)
    },
    bytes: () => Buffer.from(bytes),
  }
}

/** Decompresses a part of a JPEG XL. @returns undefined if that fails, or if the content is too large */
export function unpacked(content: Buffer, maxOutputLength: number): Buffer | undefined {
  try {
    return brotliDecompressSync(content, { maxOutputLength })
  } catch {
    return undefined
  }
}

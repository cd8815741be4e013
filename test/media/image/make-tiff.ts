/** Writes TIFF files of every sample format and layout, as image editors, scanners and instruments do. */
import { truncate, writeFile } from 'node:fs/promises'
import { deflateSync, zstdCompressSync } from 'node:zlib'

export type TiffShape = {
  readonly width?: number
  readonly height?: number
  readonly bits?: number
  /** 1 unsigned, 2 signed, 3 floating point. */
  readonly sampleFormat?: 1 | 2 | 3
  readonly photometric?: number
  readonly samples?: number
  readonly extraSamples?: readonly number[]
  readonly isPlanar?: boolean
  readonly isBig?: boolean
  readonly isBigEndian?: boolean
  /** Side lengths of a tile; strips otherwise. */
  readonly tile?: readonly [width: number, height: number]
  readonly rowsPerStrip?: number
  readonly compression?: 'none' | 'deflate' | 'packBits' | 'zstd'
  readonly predictor?: 1 | 2 | 3
  readonly hasReversedBits?: boolean
  /** Stores the blocks in reverse order. */
  readonly hasReversedBlocks?: boolean
  /** Horizontal and vertical, for YCbCr. */
  readonly subsampling?: readonly [number, number]
  /** Further tags: numbers of type 3 or 4, floating-point numbers of type 12, or bytes of type 7. */
  readonly tags?: Readonly<Record<number, readonly number[] | Float64Array | Buffer>>
  /** Value of a sample, as stored. */
  readonly sample: (x: number, y: number, channel: number) => number
}

const CODES = { none: 1, deflate: 8, packBits: 32_773, zstd: 50_000 } as const

export function makeTiff(shape: TiffShape): Buffer {
  return makePages([shape])
}

/**
 * Writes several pages after each other. The first shape decides about byte order and size of offsets.
 * @param first content to store behind the header
 */
export function makePages(shapes: readonly TiffShape[], first = Buffer.alloc(0)): Buffer {
  const { isBig = false, isBigEndian = false } = shapes[0] ?? {}
  const number = numbersIn(isBigEndian)
  const header = Buffer.concat([
    Buffer.from(isBigEndian ? 'MM' : 'II', 'latin1'),
    number(2, isBig ? 43 : 42),
    ...(isBig ? [number(2, 8), number(2, 0)] : []),
    number(isBig ? 8 : 4, 0),
  ])
  const parts: Buffer[] = [header, first]
  let length = header.length + first.length
  const add = (part: Buffer): number => {
    const at = length
    // Values begin at even offsets.
    const even = part.length % 2 === 0 ? part : Buffer.concat([part, Buffer.alloc(1)])
    parts.push(even)
    length += even.length
    return at
  }
  // Where the offset of the next directory belongs.
  let pointer: { readonly part: Buffer; readonly at: number } = { part: header, at: isBig ? 8 : 4 }
  for (const shape of shapes) {
    const entries = { ...tagsOf(shape, add), ...shape.tags }
    const slot = isBig ? 8 : 4
    const rows: Buffer[] = []
    for (const [tag, values] of Object.entries(entries).toSorted(([a], [b]) => Number(a) - Number(b))) {
      const [type, list] = storedValues(values, number)
      const inside =
        list.length <= slot
          ? Buffer.concat([list, Buffer.alloc(slot - list.length)])
          : number(slot, add(list))
      rows.push(number(2, Number(tag)), number(2, type), number(slot, values.length), inside)
    }
    const next = Buffer.alloc(slot)
    const directory = Buffer.concat([number(isBig ? 8 : 2, rows.length / 4), ...rows, next])
    number(slot, add(directory)).copy(pointer.part, pointer.at)
    pointer = { part: parts.at(-1) ?? directory, at: directory.length - slot }
  }
  return Buffer.concat(parts)
}

/**
 * Writes a square image in one deflated strip of 55 MB, most of which is a hole that decoders ignore.
 * @param tags further tags; by default, the image is gray with 8 bits
 */
export async function writeLongStrip(
  path: string,
  side: number,
  pixels: Buffer,
  tags: TiffShape['tags'] = {},
): Promise<void> {
  const [at, length] = [1_024, 55_000_000]
  const own = {
    256: [side],
    257: [side],
    259: [CODES.deflate],
    273: [at],
    278: [side],
    279: [length],
    ...tags,
  }
  const head = makePages([{ width: 1, height: 1, sample: () => 0, tags: own }])
  const strip = deflateSync(pixels, { level: 1 })
  await writeFile(path, Buffer.concat([head, Buffer.alloc(at - head.length), strip]))
  await truncate(path, at + length)
}

/** Returns where the entry of a tag begins in the first directory of a little-endian file. */
export function entryAt(file: Buffer, tag: number): number {
  let at = file.readUInt32LE(4) + 2
  while (file.readUInt16LE(at) !== tag) at += 12
  return at
}

function storedValues(
  values: readonly number[] | Float64Array | Buffer,
  number: ReturnType<typeof numbersIn>,
): readonly [type: number, bytes: Buffer] {
  if (Buffer.isBuffer(values)) return [7, values]
  if (values instanceof Float64Array) {
    const bytes = Buffer.from(values.buffer.slice(0))
    return [12, number(2, 1)[0] === 1 ? bytes : bytes.swap64()]
  }
  const type = values.every((value) => value < 65_536) ? 3 : 4
  return [type, Buffer.concat(values.map((value) => number(type === 3 ? 2 : 4, value)))]
}

const numbersIn =
  (isBigEndian: boolean) =>
  (bytes: number, value: number): Buffer => {
    const buffer = Buffer.alloc(bytes)
    if (bytes === 8 && isBigEndian) buffer.writeBigUInt64BE(BigInt(value))
    else if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value))
    else if (isBigEndian) buffer.writeUIntBE(value, 0, bytes)
    else buffer.writeUIntLE(value, 0, bytes)
    return buffer
  }

function tagsOf(shape: TiffShape, add: (part: Buffer) => number): Record<number, readonly number[]> {
  const { width = 48, height = 32, bits = 8, sampleFormat = 1, photometric = 1, samples = 1 } = shape
  const { compression = 'none', predictor = 1, tile, isPlanar = false, subsampling } = shape
  const blocks = blocksOf(shape)
  const order = shape.hasReversedBlocks === true ? blocks.toReversed() : blocks
  const places = new Map(order.map((block) => [block, add(block)]))
  const offsets = blocks.map((block) => places.get(block) ?? 0)
  const lengths = blocks.map((block) => block.length)
  return {
    256: [width],
    257: [height],
    258: Array.from({ length: samples }, () => bits),
    259: [CODES[compression]],
    262: [photometric],
    ...(shape.hasReversedBits === true ? { 266: [2] } : {}),
    277: [samples],
    284: [isPlanar ? 2 : 1],
    317: [predictor],
    ...(shape.extraSamples === undefined ? {} : { 338: shape.extraSamples }),
    339: Array.from({ length: samples }, () => sampleFormat),
    ...(subsampling === undefined ? {} : { 530: subsampling }),
    ...(tile === undefined
      ? { 273: offsets, 278: [shape.rowsPerStrip ?? height], 279: lengths }
      : { 322: [tile[0]], 323: [tile[1]], 324: offsets, 325: lengths }),
  }
}

/** Returns the compressed blocks: all of the first plane, then all of the second. */
function blocksOf(shape: TiffShape): Buffer[] {
  const { width = 48, height = 32, samples = 1, tile, isPlanar = false, compression = 'none' } = shape
  const [blockWidth, blockHeight] = tile ?? [width, shape.rowsPerStrip ?? height]
  const planes = isPlanar
    ? Array.from({ length: samples }, (_, plane) => [plane])
    : [[...Array(samples).keys()]]
  const blocks: Buffer[] = []
  for (const channels of planes)
    for (let top = 0; top < height; top += blockHeight)
      for (let left = 0; left < width; left += blockWidth) {
        const rows = tile === undefined ? Math.min(blockHeight, height - top) : blockHeight
        const block = blockAt(shape, channels, { left, top, width: blockWidth, height: rows })
        const packed = compressed(block, compression)
        blocks.push(shape.hasReversedBits === true ? Buffer.from(packed.map(reversed)) : packed)
      }
  return blocks
}

type Area = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

function blockAt(shape: TiffShape, channels: readonly number[], area: Area): Buffer {
  if (shape.subsampling !== undefined) return subsampledBlock(shape, channels, shape.subsampling, area)
  const { width = 48, height = 32 } = shape
  const rows: Buffer[] = []
  for (let y = 0; y < area.height; y++) {
    const row: number[] = []
    for (let x = 0; x < area.width; x++)
      for (const channel of channels)
        row.push(
          shape.sample(Math.min(area.left + x, width - 1), Math.min(area.top + y, height - 1), channel),
        )
    rows.push(predicted(row, shape, channels.length))
  }
  return Buffer.concat(rows)
}

/** Each unit holds all brightness values of an area, then one of each color. */
function subsampledBlock(
  { sample }: TiffShape,
  channels: readonly number[],
  [across, down]: readonly [number, number],
  { left, top, width, height }: Area,
): Buffer {
  const values: number[] = []
  const isWhole = channels.length > 1
  const [stepX, stepY] = isWhole || channels[0] !== 0 ? [across, down] : [1, 1]
  for (let y = 0; y < height; y += stepY)
    for (let x = 0; x < width; x += stepX) {
      if (isWhole)
        for (let inY = 0; inY < down; inY++)
          for (let inX = 0; inX < across; inX++) values.push(sample(left + x + inX, top + y + inY, 0))
      for (const channel of isWhole ? [1, 2] : channels) values.push(sample(left + x, top + y, channel))
    }
  return Buffer.from(values)
}

function predicted(row: readonly number[], shape: TiffShape, step: number): Buffer {
  const { bits = 8, predictor = 1 } = shape
  if (predictor === 2) {
    // The differences are those of the stored bits, regardless of the number format.
    const stored = row.map((value) => patternOf(value, shape))
    const differences = stored.map((value, at) => (at < step ? value : value - (stored[at - step] ?? 0n)))
    return packedPatterns(differences, shape)
  }
  const bytes = packed(row, predictor === 3 ? { ...shape, isBigEndian: true } : shape)
  if (predictor === 1) return bytes
  // Floating point: the bytes of equal weight follow each other, and each is the difference to the one before.
  const width = bits / 8
  const planes = Buffer.alloc(bytes.length)
  for (let at = 0; at < row.length; at++)
    for (let byte = 0; byte < width; byte++) planes[byte * row.length + at] = bytes[at * width + byte] ?? 0
  return Buffer.from(planes.map((value, at) => value - (at < step ? 0 : (planes[at - step] ?? 0))))
}

const packed = (values: readonly number[], shape: TiffShape): Buffer =>
  packedPatterns(
    values.map((value) => patternOf(value, shape)),
    shape,
  )

const patternOf = (value: number, { bits = 8, sampleFormat = 1 }: TiffShape): bigint =>
  sampleFormat === 3 ? BigInt(`0x${floatOf(value, bits).toString('hex')}`) : BigInt(Math.round(value))

function packedPatterns(values: readonly bigint[], { bits = 8, isBigEndian = false }: TiffShape): Buffer {
  const mask = 2n ** BigInt(bits) - 1n
  const whole = values.map((value) => value & mask)
  if (bits % 8 === 0)
    return Buffer.concat(
      whole.map((value) => {
        const bytes = Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex')
        return isBigEndian ? bytes : Buffer.from(bytes.toReversed())
      }),
    )
  // Depths that aren't a number of bytes are packed from the most significant bit, regardless of the byte order.
  const text = whole.map((value) => value.toString(2).padStart(bits, '0')).join('')
  const padded = text.padEnd(Math.ceil(text.length / 8) * 8, '0')
  return Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

/** Big-endian. */
function floatOf(value: number, bits: number): Buffer {
  const bytes = Buffer.alloc(bits / 8)
  if (bits === 64) bytes.writeDoubleBE(value)
  else if (bits === 32) bytes.writeFloatBE(value)
  else writeShortFloat(bytes, value, bits === 16 ? [5, 10] : [7, 16])
  return bytes
}

/** Writes a positive normal number, or zero. */
function writeShortFloat(
  bytes: Buffer,
  value: number,
  [exponentBits, bits]: readonly [number, number],
): void {
  if (value === 0) return
  const bias = 2 ** (exponentBits - 1) - 1
  const size = Math.abs(value)
  const exponent = Math.floor(Math.log2(size))
  const fraction = Math.round((size / 2 ** exponent - 1) * 2 ** bits)
  const sign = value < 0 ? 2 ** (bits + exponentBits) : 0
  bytes.writeUIntBE(sign + (exponent + bias) * 2 ** bits + fraction, 0, bytes.length)
}

function compressed(block: Buffer | Uint8Array, compression: keyof typeof CODES): Buffer {
  if (compression === 'deflate') return deflateSync(block)
  if (compression === 'zstd') return zstdCompressSync(block)
  if (compression === 'none') return Buffer.from(block)
  // Literal runs only.
  const runs: Buffer[] = []
  for (let at = 0; at < block.length; at += 128) {
    const run = block.subarray(at, at + 128)
    runs.push(Buffer.from([run.length - 1]), Buffer.from(run))
  }
  return Buffer.concat(runs)
}

const reversed = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').toReversed().join(''), 2)

/** Segments of a JPEG up to and including the start of its scan, and the coded pixels. */
function partsOf(jpeg: Buffer) {
  const segments: { readonly marker: number; readonly content: Buffer }[] = []
  let at = 2
  while (jpeg[at + 1] !== 0xda) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    segments.push({ marker: jpeg.readUInt8(at + 1), content: jpeg.subarray(at + 4, end) })
    at = end
  }
  const scan = at + 2 + jpeg.readUInt16BE(at + 2)
  return { segments, head: jpeg.subarray(0, scan), coded: jpeg.subarray(scan, -2) }
}

/**
 * Puts a baseline JPEG with two quantization tables into a TIFF, as programs of the nineties did: complete, without its coded pixels,
 * or as tables and coded pixels.
 */
export function oldJpegInTiff(
  jpeg: Buffer,
  how: 'complete' | 'head' | 'tables',
  tags: Readonly<Record<number, readonly number[]>> = {},
): Buffer {
  const { segments, head, coded } = partsOf(jpeg)
  const frame = segments.find(({ marker }) => marker === 0xc0)?.content ?? Buffer.alloc(15)
  const [width, height] = [frame.readUInt16BE(3), frame.readUInt16BE(1)]
  // Tables follow each other in a segment, each with its kind and number.
  const tables = new Map<string, Buffer>()
  const withTables = segments.filter(({ marker }) => marker === 0xdb || marker === 0xc4)
  for (const { marker, content } of withTables)
    for (let at = 0; at < content.length;) {
      const start = at + 1
      const counts = content.subarray(start, start + 16)
      const length = marker === 0xdb ? 64 : 16 + counts.reduce((sum, count) => sum + count, 0)
      tables.set(`${marker} ${content[at]}`, content.subarray(start, start + length))
      at = start + length
    }
  const parts: Buffer[] = []
  let end = 8
  const add = (part: Buffer) => {
    parts.push(part)
    end += part.length
    return end - part.length
  }
  const three = (marker: number, kind: number) => {
    const [light, color] = [0, 1].map((id) =>
      add(tables.get(`${marker} ${kind * 16 + id}`) ?? Buffer.alloc(64)),
    )
    return [light ?? 0, color ?? 0, color ?? 0]
  }
  const stored = how === 'complete' ? jpeg : head
  const entries =
    how === 'tables'
      ? { 519: three(0xdb, 0), 520: three(0xc4, 0), 521: three(0xc4, 1) }
      : { 513: [add(stored)], 514: [stored.length] }
  const shape = frame.readUInt8(7)
  const all = {
    256: [width],
    257: [height],
    258: [8, 8, 8],
    259: [6],
    262: [6],
    277: [3],
    ...(how === 'complete' ? {} : { 273: [add(coded)], 278: [height], 279: [coded.length] }),
    530: [shape >> 4, shape & 15],
    ...entries,
    ...tags,
  }
  return makePages([{ sample: () => 0, width: 1, height: 1, tags: all }], Buffer.concat(parts))
}

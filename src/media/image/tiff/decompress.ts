/** Decompresses the strips and tiles of a TIFF file (TIFF 6.0, sections 9 and 13). */
import { inflateSync, zstdDecompressSync } from 'node:zlib'
import { damagedFile } from '../../damaged-file.ts'
import { lzwLength } from '../lzw-length.ts'

export const COMPRESSION = {
  none: 1,
  lzw: 5,
  oldJpeg: 6,
  jpeg: 7,
  deflate: 8,
  packBits: 32_773,
  oldDeflate: 32_946,
  zstd: 50_000,
} as const

type Decompress = (block: Buffer, most: number) => Buffer

const inflate: Decompress = (block, most) =>
  unlessDamaged(() => inflateSync(block, { maxOutputLength: most }))

const DECOMPRESS: Readonly<Record<number, Decompress>> = {
  [COMPRESSION.none]: (block, most) => block.subarray(0, most),
  [COMPRESSION.lzw]: unpackLzw,
  [COMPRESSION.deflate]: inflate,
  [COMPRESSION.oldDeflate]: inflate,
  [COMPRESSION.packBits]: unpackRuns,
  [COMPRESSION.zstd]: (block, most) =>
    unlessDamaged(() => zstdDecompressSync(block, { maxOutputLength: most })),
}

/**
 * @returns a function that decompresses one block to at most the given number of bytes, or throws a FailureError; undefined if the
 * compression isn't supported
 */
export const decompressorFor = (compression: number): Decompress | undefined => DECOMPRESS[compression]

type Zip = typeof inflateSync | typeof zstdDecompressSync

/** Returns the number of bytes that zlib needed; undefined if the block is damaged or has more than `most` bytes of content. */
const usedBy = (unzip: Zip) => (block: Buffer, most: number) => {
  try {
    // With `info`, Node returns an object with the engine, which its types don't declare.
    const { engine } = unzip(block, { maxOutputLength: most, info: true }) as unknown as {
      readonly engine: { readonly bytesWritten: number }
    }
    return engine.bytesWritten
  } catch {
    return undefined
  }
}

const USED: Readonly<Record<number, (block: Buffer, most: number) => number | undefined>> = {
  [COMPRESSION.none]: (block, most) => Math.min(block.length, most),
  [COMPRESSION.lzw]: (block, most) => lzwLength(block, 8, most, 'TIFF'),
  [COMPRESSION.deflate]: usedBy(inflateSync),
  [COMPRESSION.oldDeflate]: usedBy(inflateSync),
  [COMPRESSION.packBits]: runsLength,
  [COMPRESSION.zstd]: usedBy(zstdDecompressSync),
}

/**
 * Returns how many bytes of a block hold its pixels: all of them if the compression isn't supported.
 * @param most number of bytes of the pixels
 * @returns undefined if the block can't be decompressed
 */
export function usedBytes(compression: number, block: Buffer, most: number): number | undefined {
  const used = USED[compression]
  return used === undefined ? block.length : used(block, most)
}

/** Converts any error to a failure, because zlib reports damage and excessive output with errors of different kinds. */
function unlessDamaged(decompress: () => Buffer): Buffer {
  try {
    return decompress()
  } catch {
    throw damagedFile('imageNotDecodable')
  }
}

const REPEATS = 128

/** Decompresses PackBits: a count, followed by that many bytes or by one byte to repeat. */
function unpackRuns(block: Buffer, most: number): Buffer {
  const output = Buffer.alloc(most)
  let [at, to] = [0, 0]
  while (at < block.length && to < most) {
    const count = block.readUInt8(at++)
    if (count === REPEATS) continue
    if (count < REPEATS) {
      to += block.copy(output, to, at, at + count + 1)
      at += count + 1
    } else {
      const end = Math.min(most, to + 257 - count)
      output.fill(block[at++] ?? 0, to, end)
      to = end
    }
  }
  return output.subarray(0, to)
}

function runsLength(block: Buffer, most: number): number {
  let [at, to] = [0, 0]
  while (at < block.length && to < most) {
    const count = block.readUInt8(at)
    if (count !== REPEATS) to += count < REPEATS ? count + 1 : 257 - count
    at += count < REPEATS ? count + 2 : count === REPEATS ? 1 : 2
  }
  return Math.min(at, block.length)
}

const [CLEAR, END] = [256, 257]
const MOST_WIDTH = 12

/** Decompresses LZW. Codes are packed most significant bit first. The code width grows one code early. */
function unpackLzw(block: Buffer, most: number): Buffer {
  const output = Buffer.alloc(most)
  const before = new Uint16Array(2 ** MOST_WIDTH)
  const last = Uint8Array.from({ length: 2 ** MOST_WIDTH }, (_, code) => code)
  const lengths = new Uint16Array(2 ** MOST_WIDTH).fill(1)
  let [width, next, previous, bits, count, to] = [9, END + 1, -1, 0, 0, 0]
  for (const byte of block) {
    bits = ((bits << 8) | byte) & 0xff_ffff
    count += 8
    if (count < width) continue
    count -= width
    const code = (bits >>> count) & (2 ** width - 1)
    if (code === END || to >= most) break
    if (code === CLEAR) {
      width = 9
      next = END + 1
      previous = -1
      continue
    }
    if (code > next || (previous < 0 && code > CLEAR)) throw damagedFile('imageNotDecodable')
    // A code that doesn't exist yet stands for the previous bytes, followed by the first of them.
    const isNew = code === next
    let entry = isNew ? previous : code
    const length = lengths[entry] ?? 1
    for (let at = to + length - 1; at >= to; at--) {
      if (at < most) output[at] = last[entry] ?? 0
      entry = before[entry] ?? 0
    }
    const first = output[to] ?? 0
    to += length
    if (isNew && to < most) output[to] = first
    if (isNew) to++
    if (previous >= 0 && next < 2 ** MOST_WIDTH) {
      before[next] = previous
      last[next] = first
      lengths[next] = (lengths[previous] ?? 1) + 1
      next++
    }
    if (next === 2 ** width - 1 && width < MOST_WIDTH) width++
    previous = code
  }
  return output.subarray(0, Math.min(to, most))
}

/** Removes everything from a PNG that isn't needed for its pixels, frames and colors. */
import { createInflate } from 'node:zlib'
import { chunksOf, PNG_SIGNATURE } from '../png-chunks.ts'

/** Chunks for pixels and colors, each with its largest allowed length. A longer chunk could hold other data at its end. */
const WANTED_CHUNKS: ReadonlyMap<string, number> = new Map([
  ['IHDR', 13],
  ['PLTE', 768],
  ['IDAT', Infinity],
  ['IEND', 0],
  ['tRNS', 256],
  ['cHRM', 32],
  ['gAMA', 4],
  ['iCCP', Infinity],
  ['sBIT', 4],
  ['sRGB', 1],
  ['cICP', 4],
  ['mDCV', 24],
  ['cLLI', 8],
  ['bKGD', 6],
  ['pHYs', 9],
  ['acTL', 8],
  ['fcTL', 26],
  ['fdAT', Infinity],
])

/** @param length of the chunk's content */
export const isPixelChunk = (type: string, length: number): boolean =>
  length <= (WANTED_CHUNKS.get(type) ?? -1)

/** Chunks that may occur more than once. Of other types, only the first chunk is kept, because decoders ignore the others. */
const REPEATED: ReadonlySet<string> = new Set(['IDAT', 'fcTL', 'fdAT'])

/** A compressed stream, and the length of its content if that is known. */
type Stream = { readonly parts: Buffer[]; readonly length?: number }

/**
 * Returns the file with only the chunks for pixels and colors; undefined if the file has no end chunk, or if the compressed pixels or the
 * color profile are damaged, have the wrong length, or are followed by other data.
 */
export async function barePng(file: Buffer): Promise<Buffer | undefined> {
  const kept: Buffer[] = [PNG_SIGNATURE]
  const seen = new Set<string>()
  const head = file.subarray(PNG_SIGNATURE.length + 8)
  const first: Stream = { parts: [], length: lengthOfRows(head, head.readUInt32BE(0), head.readUInt32BE(4)) }
  const streams = [first]
  for (const { type, at, end } of chunksOf(file)) {
    const body = file.subarray(at + 8, end - 4)
    if (!isPixelChunk(type, body.length) || (seen.has(type) && !REPEATED.has(type))) continue
    seen.add(type)
    kept.push(file.subarray(at, end))
    if (type === 'IDAT') first.parts.push(body)
    else if (type === 'fcTL')
      streams.push({ parts: [], length: lengthOfRows(head, body.readUInt32BE(4), body.readUInt32BE(8)) })
    // The sequence number comes first.
    else if (type === 'fdAT') streams.at(-1)?.parts.push(body.subarray(4))
    // The name and the compression method come first.
    else if (type === 'iCCP') streams.unshift({ parts: [body.subarray(body.indexOf(0) + 2)] })
    else if (type === 'IEND') {
      for (const stream of streams) if (!(await hasOnlyContent(stream))) return undefined
      return Buffer.concat(kept)
    }
  }
  return undefined
}

/** Returns whether a stream has its content and nothing else. The stream of the first frame has no data if that frame is in `IDAT`. */
async function hasOnlyContent({ parts, length }: Stream): Promise<boolean> {
  if (parts.length === 0) return true
  const stored = Buffer.concat(parts)
  const inflate = createInflate({ chunkSize: INFLATED_BYTES })
  inflate.end(stored)
  let found = 0
  try {
    for await (const part of inflate) found += (part as Buffer).length
  } catch {
    return false
  }
  return inflate.bytesWritten === stored.length && (length === undefined || found === length)
}

const INFLATED_BYTES = 256 * 1024

/** Samples per pixel, by color type. */
const SAMPLES: readonly number[] = [1, 0, 3, 1, 2, 0, 4]
/** Column and row of the first pixel of each pass of an interlaced image, and the distances between its pixels. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const WHOLE = [[0, 0, 1, 1]] as const

/**
 * Returns the length in bytes of an image's decompressed rows. Each row begins with the type of its filter.
 * @param head the content of `IHDR`
 */
function lengthOfRows(head: Buffer, width: number, height: number): number {
  const bits = head.readUInt8(8) * (SAMPLES[head.readUInt8(9)] ?? 0)
  const passes = head.readUInt8(12) === 0 ? WHOLE : PASSES
  return passes.reduce((sum, [left, top, across, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)]
    return columns <= 0 || rows <= 0 ? sum : sum + rows * (1 + Math.ceil((columns * bits) / 8))
  }, 0)
}

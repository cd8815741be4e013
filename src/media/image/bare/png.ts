/** Removes everything from a PNG that isn't needed for its pixels, frames and colors. */
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

/** Returns the file with only the chunks for pixels and colors; undefined if the file has no end chunk. */
export function barePng(file: Buffer): Buffer | undefined {
  const kept: Buffer[] = [PNG_SIGNATURE]
  for (const { type, at, end } of chunksOf(file)) {
    if (isPixelChunk(type, end - at - 12)) kept.push(file.subarray(at, end))
    if (type === 'IEND') return Buffer.concat(kept)
  }
  return undefined
}

/** Reads and writes the chunks of a PNG (PNG, third edition, 5). */
import { crc32 } from 'node:zlib'
import { uint32 } from '../big-endian.ts'

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export const looksLikePng = (head: Buffer): boolean =>
  head.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)

/** Returns whether the file is in the variant of PNG that iPhone apps contain, which stores pixels differently. */
export const isPhonePng = (head: Buffer): boolean =>
  looksLikePng(head) && head.toString('latin1', 12, 16) === 'CgBI'

/** A chunk's type, and the offsets of its length field and of its end. */
export type PngChunk = { readonly type: string; readonly at: number; readonly end: number }

/** Returns the complete chunks. @param from offset of the first one */
export function* chunksOf(png: Buffer, from = PNG_SIGNATURE.length): Generator<PngChunk> {
  for (let at = from; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    if (end > png.length) return
    yield { type: png.toString('latin1', at + 4, at + 8), at, end }
    at = end
  }
}

export function chunksBeforePixels(png: Buffer): readonly PngChunk[] {
  const chunks: PngChunk[] = []
  for (const chunk of chunksOf(png)) {
    if (chunk.type === 'IDAT') break
    chunks.push(chunk)
  }
  return chunks
}

export function pngChunk(type: string, body: Buffer): Buffer {
  const name = Buffer.from(type, 'latin1')
  return Buffer.concat([uint32(body.length), name, body, uint32(crc32(body, crc32(name)))])
}

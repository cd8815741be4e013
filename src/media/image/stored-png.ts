/** Writes decoded pixels as an uncompressed PNG. */
import { deflateSync } from 'node:zlib'
import { uint32 } from '../big-endian.ts'
import { PNG_SIGNATURE, pngChunk } from './png-chunks.ts'
import type { RawImage } from './raw-image.ts'

/** PNG color types for one to four channels: gray, gray with alpha, RGB, RGBA. */
const COLOR_TYPES = { 1: 0, 2: 4, 3: 2, 4: 6 } as const

/**
 * Wraps pixels in a PNG, because raw pixels can't carry a profile.
 * This costs little more than a copy.
 */
export function wrapAsPng(content: RawImage): Buffer {
  const { icc } = content.metadata
  const parts = [PNG_SIGNATURE, headerChunk(content)]
  if (icc !== undefined) parts.push(pngChunk('iCCP', Buffer.concat([text('icc\0\0'), deflateSync(icc)])))
  parts.push(pngChunk('IDAT', deflateSync(rowsOf(content), { level: 0 })), pngChunk('IEND', Buffer.alloc(0)))
  return Buffer.concat(parts)
}

export function headerChunk({
  width,
  height,
  channels,
  depth = 8,
}: Omit<RawImage, 'pixels' | 'metadata'>): Buffer {
  const coding = Buffer.from([depth, COLOR_TYPES[channels], 0, 0, 0])
  return pngChunk('IHDR', Buffer.concat([uint32(width, height), coding]))
}

/** Returns the rows, each after a byte for "no filter". */
function rowsOf({ pixels, width, height, channels, depth = 8 }: RawImage): Buffer {
  const length = (width * channels * depth) / 8
  // Swaps bytes, because PNG is big-endian.
  const ordered = depth === 16 ? Buffer.from(pixels).swap16() : pixels
  const rows = Buffer.alloc((length + 1) * height)
  for (let y = 0; y < height; y++)
    rows.set(ordered.subarray(y * length, (y + 1) * length), y * (length + 1) + 1)
  return rows
}

const text = (characters: string) => Buffer.from(characters, 'latin1')

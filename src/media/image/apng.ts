/** Reads and writes the chunks of animated PNG (PNG, third edition, 11.3.6). */
import { crc32 } from 'node:zlib'
import type { Animation } from './animation.ts'
import { chunksOf, PNG_SIGNATURE, pngChunk } from './png-chunks.ts'

export type ApngTiming = Animation & {
  /** Whether the image that other programs show is the first frame. */
  readonly startsWithImage: boolean
}

/** A delay without a denominator counts hundredths. */
const HUNDREDTHS = 100

/** @returns undefined if the PNG isn't animated. The number of delays is that of the frames */
export function timingOfApng(png: Buffer): ApngTiming | undefined {
  let loop: number | undefined
  let startsWithImage: boolean | undefined
  const delays: number[] = []
  for (const { type, at, end } of chunksOf(png)) {
    if (type === 'acTL' && end - at >= 20) loop = png.readUInt32BE(at + 12)
    else if (type === 'fcTL' && end - at >= 38) delays.push(delayIn(png, at + 8))
    else if (type === 'IDAT') {
      // The chunk that makes a PNG animated precedes its pixels.
      if (loop === undefined) return undefined
      startsWithImage ??= delays.length > 0
    }
  }
  return loop === undefined || delays.length < 2
    ? undefined
    : { delays, loop, startsWithImage: startsWithImage === true }
}

function delayIn(png: Buffer, body: number): number {
  const [share, parts] = [png.readUInt16BE(body + 20), png.readUInt16BE(body + 22)]
  return (share * 1000) / (parts === 0 ? HUNDREDTHS : parts)
}

const DELAY_AT = 20
const THOUSANDTHS = 1000
const LONGEST_DELAY = 0xffff

/**
 * Joins what FFmpeg's encoder returns. Its muxer would add the signature, the number of frames and the delays, but it only writes to
 * files that it can change.
 * @param head the chunks before the first frame
 * @param frames each frame's chunks
 */
export function joinApng(head: Buffer, frames: readonly Buffer[], { delays, loop }: Animation): Buffer {
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames.length, 0)
  control.writeUInt32BE(loop, 4)
  return Buffer.concat([
    PNG_SIGNATURE,
    head,
    pngChunk('acTL', control),
    ...frames.map((frame, index) => withDelay(frame, delays[index] ?? 0)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function withDelay(frame: Buffer, delay: number): Buffer {
  const changed = Buffer.from(frame)
  for (const { type, at, end } of chunksOf(changed, 0)) {
    if (type !== 'fcTL') continue
    changed.writeUInt16BE(Math.min(LONGEST_DELAY, Math.round(delay)), at + 8 + DELAY_AT)
    changed.writeUInt16BE(THOUSANDTHS, at + 8 + DELAY_AT + 2)
    changed.writeUInt32BE(crc32(changed.subarray(at + 4, end - 4)), end - 4)
  }
  return changed
}

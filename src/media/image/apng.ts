/** Reads and writes the chunks of animated PNG (PNG, third edition, 11.3.6). */
import { crc32 } from 'node:zlib'
import { uint32 } from '../big-endian.ts'
import { type Animation, shownFor } from './animation.ts'
import type { FramePart } from './compose-frames.ts'
import { chunksOf, PNG_SIGNATURE, pngChunk } from './png-chunks.ts'

/** Units per second of a delay without a denominator. */
const HUNDREDTHS = 100

/**
 * Reads the timing of an animated PNG, with one delay for each frame.
 * @returns undefined if the PNG isn't animated or has fewer than two frames
 */
export function timingOfApng(png: Buffer): Animation | undefined {
  const timing = framesIn(png)
  return timing === undefined || timing.delays.length < 2 ? undefined : timing
}

/** Reads the timing even if there is only one frame. */
function framesIn(png: Buffer): Animation | undefined {
  let loop: number | undefined
  const delays: number[] = []
  for (const { type, at, end } of chunksOf(png)) {
    if (type === 'acTL' && end - at >= 20) loop = png.readUInt32BE(at + 12)
    else if (type === 'fcTL' && end - at >= 38) delays.push(delayIn(png, at + 8))
    // The chunk that makes a PNG animated precedes its pixels.
    else if (type === 'IDAT' && loop === undefined) return undefined
  }
  return loop === undefined ? undefined : { delays, loop }
}

/** Returns whether frames are missing, which decoders don't report. */
export function isCutApng(png: Buffer): boolean {
  const control = [...chunksOf(png)].find(({ type }) => type === 'acTL')
  return (
    control !== undefined && (framesIn(png)?.delays.length ?? Infinity) < png.readUInt32BE(control.at + 8)
  )
}

/** Returns whether still-image decoders show an image that isn't one of the frames. */
export function hasOtherImage(png: Buffer): boolean {
  const types = [...chunksOf(png)].map(({ type }) => type)
  return types.indexOf('IDAT') < types.indexOf('fcTL') && framesIn(png) !== undefined
}

/**
 * Replaces an image that isn't one of the frames (`hasOtherImage`) with the first frame.
 * @returns the same file if it has no such image, or if the first frame doesn't cover the canvas
 */
export function withFirstFrame(png: Buffer): Buffer {
  const chunks = [...chunksOf(png)]
  const [first] = hasOtherImage(png) ? partsOfApng(png) : []
  const header = chunks.find(({ type }) => type === 'IHDR')
  if (first === undefined || header === undefined) return png
  const size = { width: png.readUInt32BE(header.at + 8), height: png.readUInt32BE(header.at + 12) }
  // A frame that covers only a part of the canvas can't replace the image.
  if (first.width !== size.width || first.height !== size.height) return png
  let frames = 0
  const kept = chunks.flatMap(({ type, at, end }) => {
    if (type === 'fcTL') frames++
    if (type === 'IDAT') return []
    return [
      type === 'fdAT' && frames === 1
        ? pngChunk('IDAT', png.subarray(at + 12, end - 4))
        : png.subarray(at, end),
    ]
  })
  return Buffer.concat([PNG_SIGNATURE, ...kept])
}

const AFTER = ['keep', 'clear', 'restore'] as const
const OVER = 1

/**
 * Returns each frame of an animated PNG as a separate PNG.
 * @throws RangeError if the file ends too early
 */
export function partsOfApng(png: Buffer): readonly FramePart[] {
  const shared: Buffer[] = []
  const found: { readonly control: Buffer; readonly data: Buffer[] }[] = []
  let header: Buffer = Buffer.alloc(0)
  for (const { type, at, end } of chunksOf(png)) {
    const body = png.subarray(at + 8, end - 4)
    if (type === 'IHDR') header = body
    else if (type === 'PLTE' || type === 'tRNS') shared.push(png.subarray(at, end))
    else if (type === 'fcTL') found.push({ control: body, data: [] })
    else if (type === 'IDAT') found.at(-1)?.data.push(body)
    else if (type === 'fdAT') found.at(-1)?.data.push(body.subarray(4))
  }
  return found.map(({ control, data }) => {
    const numbers = [4, 8, 12, 16].map((offset) => control.readUInt32BE(offset))
    const [width = 0, height = 0, left = 0, top = 0] = numbers
    const own = Buffer.from(header)
    control.copy(own, 0, 4, 12)
    return {
      left,
      top,
      width,
      height,
      file: Buffer.concat([
        PNG_SIGNATURE,
        pngChunk('IHDR', own),
        ...shared,
        pngChunk('IDAT', Buffer.concat(data)),
        pngChunk('IEND', Buffer.alloc(0)),
      ]),
      after: AFTER[control.readUInt8(24)] ?? 'keep',
      covers: control.readUInt8(25) !== OVER,
    }
  })
}

function delayIn(png: Buffer, body: number): number {
  const [share, parts] = [png.readUInt16BE(body + 20), png.readUInt16BE(body + 22)]
  return shownFor((share * 1000) / (parts === 0 ? HUNDREDTHS : parts))
}

const DELAY_AT = 20
/** Possible denominators of a stored delay, in units per second, finest first. Longer delays need coarser ones. */
const UNITS = [1000, HUNDREDTHS, 10, 1] as const
const MOST_PARTS = 0xffff

/**
 * Builds an animated PNG from the output of FFmpeg's encoder. FFmpeg's muxer would add the signature, the number of frames and the delays,
 * but it needs a seekable file.
 * @param head the chunks before the first frame
 * @param frames each frame's chunks
 */
export function joinApng(head: Buffer, frames: readonly Buffer[], { delays, loop }: Animation): Buffer {
  return Buffer.concat([
    PNG_SIGNATURE,
    head,
    pngChunk('acTL', uint32(frames.length, loop)),
    ...frames.map((frame, index) => withDelay(frame, delays[index] ?? 0)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function withDelay(frame: Buffer, delay: number): Buffer {
  const changed = Buffer.from(frame)
  const parts = UNITS.find((unit) => (delay * unit) / 1000 <= MOST_PARTS) ?? 1
  for (const { type, at, end } of chunksOf(changed, 0)) {
    if (type !== 'fcTL') continue
    changed.writeUInt16BE(Math.min(MOST_PARTS, Math.round((delay * parts) / 1000)), at + 8 + DELAY_AT)
    changed.writeUInt16BE(parts, at + 8 + DELAY_AT + 2)
    changed.writeUInt32BE(crc32(changed.subarray(at + 4, end - 4)), end - 4)
  }
  return changed
}

import type { FileHandle } from 'node:fs/promises'
import { bytesOf } from '../metadata/exif-directories.ts'
import { FRAME_HEAD_BYTES, webpChunks } from './webp-chunks.ts'

/**
 * Counts the frames of a WebP file. Stops once there are more than `most` frames, or more than twice that number of chunks. The number must
 * be limited, because libwebp searches a list of all frames for each frame.
 */
export async function countWebpFrames(file: FileHandle, most: number): Promise<number> {
  const head = Buffer.alloc(8)
  let frames = 0
  let parts = 0
  for (let at = 12; frames <= most && parts <= 2 * most; parts++) {
    const { bytesRead } = await file.read(head, 0, head.length, at)
    if (bytesRead < head.length) break
    if (head.toString('latin1', 0, 4) === 'ANMF') frames++
    const size = head.readUInt32LE(4)
    at += head.length + size + (size % 2)
  }
  return frames
}

export const looksLikeWebp = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'

const FLAGS_AT = 20
const ALPHA = 0x10
const ANIMATED = 0x02

/** Returns whether a still WebP's header denies transparency. Some programs always clear the alpha flag when they add metadata. */
export const deniesTransparency = (head: Buffer): boolean =>
  looksLikeWebp(head) &&
  head.toString('latin1', 12, 16) === 'VP8X' &&
  ((head[FLAGS_AT] ?? 0) & (ALPHA | ANIMATED)) === 0

/**
 * Makes the header of a still WebP agree with its image. libvips trusts the header; other programs trust the image.
 * @returns undefined if the image has no transparency
 */
export function withStatedTransparency(file: Buffer): Buffer | undefined {
  const image = webpChunks(bytesOf(file)).find(({ type }) => ['VP8 ', 'VP8L', 'ALPH'].includes(type))
  // The bit follows the signature, the width and the height (14 bits each).
  const isSeeThrough = image?.type === 'VP8L' && ((file[image.body + 4] ?? 0) & 0x10) !== 0
  if (image?.type !== 'ALPH' && !isSeeThrough) return undefined
  const stated = Buffer.from(file)
  stated[FLAGS_AT] = (file[FLAGS_AT] ?? 0) | ALPHA
  return stated
}

/** Returns whether the image, or each frame of an animation, is stored without loss. */
export function isLosslessWebp(webp: Buffer): boolean {
  const parts = [...webpChunks(bytesOf(webp))]
  const inFrames = parts
    .filter(({ type }) => type === 'ANMF')
    .flatMap(({ body, end }) => [...webpChunks(bytesOf(webp), body + FRAME_HEAD_BYTES, end)])
  const types = new Set([...parts, ...inFrames].map(({ type }) => type))
  return types.has('VP8L') && !types.has('VP8 ')
}

/** The longest frame time that libvips passes to libwebp, in ms. WebP files can store longer times, in 24 bits. */
export const LONGEST_DELAY = 65_535
const [MOST_MS, DURATION_AT] = [0xff_ffff, 12]

/**
 * Sets frame times that are too long for libvips. Changes nothing if equal frames were merged.
 * @param delays in ms
 */
export function withLongDelays(webp: Buffer, delays: readonly number[]): void {
  if (delays.every((delay) => delay <= LONGEST_DELAY)) return
  const frames = [...webpChunks(bytesOf(webp))].filter(({ type }) => type === 'ANMF')
  if (frames.length === delays.length)
    for (const [index, { body }] of frames.entries())
      webp.writeUIntLE(Math.min(MOST_MS, Math.round(delays[index] ?? 0)), body + DURATION_AT, 3)
}

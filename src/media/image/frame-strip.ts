/** Stores the frames of an animation in one file for sharp: a TIFF with uncompressed pages, because raw pixels can't carry a profile. */
import { deepSamples } from './raw-image.ts'
import type { Extent } from '../../shared/extent.ts'
import { valueOf, writeDirectory } from '../metadata/exif-directories.ts'
import type { ImageMetadata } from './heif-file.ts'

export type FrameStrip = Extent & {
  /** Rows from the top, channels interleaved; 16-bit samples are little-endian. */
  readonly frames: readonly Uint8Array[]
  readonly channels: 3 | 4
  readonly depth: 8 | 16
}

/** Returns the samples of each frame. They share the frames' memory. */
export const samplesOf = ({ frames, depth }: FrameStrip): readonly (Uint8Array | Uint16Array)[] =>
  depth === 8 ? frames : frames.map(deepSamples)

/** The lowest 16-bit alpha that counts as opaque: 10-bit files, such as AVIF, contain nothing greater. */
const OPAQUE_DEEP = 0xffc0

/** Removes an alpha channel that is opaque everywhere. */
export function withoutUnusedAlpha(strip: FrameStrip): FrameStrip {
  const opaqueFrom = strip.depth === 16 ? OPAQUE_DEEP : 0xff
  const frames = samplesOf(strip)
  for (const samples of frames)
    for (let at = 3; at < samples.length; at += 4) if ((samples[at] ?? 0) < opaqueFrom) return strip
  // Remove the alpha samples in place, because the frames may take hundreds of megabytes.
  const opaque = frames.map((samples) => {
    let to = 0
    for (let from = 0; from < samples.length; from += 4) {
      samples[to++] = samples[from] ?? 0
      samples[to++] = samples[from + 1] ?? 0
      samples[to++] = samples[from + 2] ?? 0
    }
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = samples
    return new Uint8Array(buffer, byteOffset, to * BYTES_PER_ELEMENT)
  })
  return { ...strip, frames: opaque, channels: 3 }
}

const [SHORT, LONG, UNDEFINED, BYTE] = [3, 4, 7, 1]
const RGB = 2
const STRAIGHT_ALPHA = 2
const HEAD_BYTES = 8

/** Returns a TIFF that sharp opens with `animated: true`. */
export function stripAsTiff(
  { frames, width, height, channels, depth }: FrameStrip,
  {
    icc,
    xmp,
    orientation = 1,
  }: Pick<ImageMetadata, 'icc' | 'xmp'> & { readonly orientation?: number | undefined },
): Buffer {
  const parts: Buffer[] = []
  let length = HEAD_BYTES
  const put = (bytes: Buffer): number => {
    const at = length
    parts.push(bytes, Buffer.alloc(bytes.length % 2))
    length += bytes.length + (bytes.length % 2)
    return at
  }
  const [profileAt, packetAt] = [icc, xmp].map((bytes) => bytes && put(bytes))
  const bitsAt = put(Buffer.from(new Uint16Array(channels).fill(depth).buffer))
  const pixelsAt = frames.map((frame) => put(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)))
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  let pointer: Buffer = head.subarray(4)
  for (const [index, frame] of frames.entries()) {
    const values = [
      [256, LONG, 1, width],
      [257, LONG, 1, height],
      [258, SHORT, channels, bitsAt],
      [259, SHORT, 1, 1],
      [262, SHORT, 1, RGB],
      [273, LONG, 1, pixelsAt[index] ?? 0],
      [274, SHORT, 1, orientation],
      [277, SHORT, 1, channels],
      [278, LONG, 1, height],
      [279, LONG, 1, frame.length],
      ...(channels === 4 ? [[338, SHORT, 1, STRAIGHT_ALPHA] as const] : []),
      ...(packetAt === undefined ? [] : [[700, BYTE, xmp?.length ?? 0, packetAt] as const]),
      ...(profileAt === undefined ? [] : [[34_675, UNDEFINED, icc?.length ?? 0, profileAt] as const]),
    ] as const
    const entries = values.map(([tag, type, count, value]) => {
      // Four bytes are a value or its offset.
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      return valueOf(tag, type, bytes, count)
    })
    const directory = writeDirectory({ order: 'II', entries }, length)
    pointer.writeUInt32LE(put(directory))
    pointer = directory.subarray(-4)
  }
  return Buffer.concat([head, ...parts])
}

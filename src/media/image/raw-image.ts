/** Decoded pixels with their color profile, for exchange with codecs other than sharp's. */
import type { Extent } from '../../shared/extent.ts'
import sharp, { type Sharp, type SharpInput } from 'sharp'
import type { HdrColors } from './hdr-colors.ts'

export type RawImage = Extent & {
  /** Rows from the top, channels interleaved; 16-bit samples are little-endian. */
  readonly pixels: Uint8Array | Uint8ClampedArray
  /** Number of channels: gray, gray with alpha, RGB or RGBA. */
  readonly channels: 1 | 2 | 3 | 4
  /** Bits per channel; 8 if undefined. */
  readonly depth?: 8 | 16
  readonly metadata: { readonly icc?: Buffer | undefined }
  /** Set for HDR only. */
  readonly hdr?: HdrColors | undefined
}

/**
 * Runs all operations queued on the image.
 * Encodes the image as PNG in between, because sharp writes profiles only to files.
 */
export async function rawImageOf(image: Sharp): Promise<RawImage> {
  return readRaw(await image.png({ compressionLevel: 0 }).toBuffer())
}

/** Decodes a file without applying its color profile. */
export async function readRaw(file: SharpInput): Promise<RawImage> {
  const source = sharp(file, { ignoreIcc: true, limitInputPixels: false })
  const { space, depth, hasAlpha, icc } = await source.metadata()
  const isDeep = depth === 'ushort'
  const isGray = space === 'b-w' || space === 'grey16'
  // Keep gray with alpha as RGBA, because sharp would return only the gray channel.
  if (isGray && !hasAlpha) source.toColourspace(isDeep ? 'grey16' : 'b-w')
  else if (isDeep) source.toColourspace('rgb16')
  const { data, info } = await source
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const both = isGray && hasAlpha
  return {
    pixels: both ? grayWithAlpha(data, isDeep ? 2 : 1) : data,
    width: info.width,
    height: info.height,
    channels: both ? 2 : hasAlpha ? 4 : isGray ? 1 : 3,
    depth: isDeep ? 16 : 8,
    metadata: { icc },
  }
}

/** Returns the same memory as samples of 16 bits. Image buffers are never parts of other buffers, so they are aligned. */
export const deepSamples = ({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array | Uint8ClampedArray): Uint16Array => new Uint16Array(buffer, byteOffset, byteLength / 2)

/** Returns the first and last of four channels. */
function grayWithAlpha(pixels: Buffer, bytes: 1 | 2): Buffer {
  const kept = Buffer.alloc(pixels.length / 2)
  for (let from = 0, to = 0; from < pixels.length; from += 4 * bytes, to += 2 * bytes) {
    pixels.copy(kept, to, from, from + bytes)
    pixels.copy(kept, to + bytes, from + 3 * bytes, from + 4 * bytes)
  }
  return kept
}

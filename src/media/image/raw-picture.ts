/** Decoded pixels with what goes along with them, as encoders other than sharp's take them and decoders hand them out. */
import sharp, { type Sharp } from 'sharp'
import type { Extent } from './geometry.ts'
import type { HdrColours } from './hdr-colours.ts'
import type { PictureMetadata } from './heif-file.ts'

export type RawPicture = Extent & {
  /** Rows from the top, channels side by side; numbers of 16 bits have the lower byte first. */
  readonly pixels: Uint8Array | Uint8ClampedArray
  /** Gray, gray with alpha, colour, colour with alpha. */
  readonly channels: 1 | 2 | 3 | 4
  /** Bits of one channel; 8 where nothing is said. */
  readonly depth?: 8 | 16
  readonly metadata: PictureMetadata
  /** Where it is brighter than ordinary. */
  readonly hdr?: HdrColours | undefined
}

/**
 * Carries out whatever was asked of the image. It goes by way of a PNG, because only a file brings along what sharp would have
 * written beside the pixels.
 */
export async function rawPictureOf(image: Sharp): Promise<RawPicture> {
  return readRaw(await image.png({ compressionLevel: 0 }).toBuffer())
}

/** The numbers of the file as they are, whatever its profile makes of them. */
export async function readRaw(file: Buffer): Promise<RawPicture> {
  const source = sharp(file, { ignoreIcc: true, limitInputPixels: false })
  const { space, depth, hasAlpha, icc, exif, xmp } = await source.metadata()
  const isDeep = depth === 'ushort'
  const isGray = space === 'b-w' || space === 'grey16'
  // Of gray with alpha, sharp would hand out the gray alone.
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
    metadata: { icc, exif, xmp },
  }
}

/** The first and the last of four channels. */
function grayWithAlpha(pixels: Buffer, bytes: 1 | 2): Buffer {
  const kept = Buffer.alloc(pixels.length / 2)
  for (let from = 0, to = 0; from < pixels.length; from += 4 * bytes, to += 2 * bytes) {
    pixels.copy(kept, to, from, from + bytes)
    pixels.copy(kept, to + bytes, from + 3 * bytes, from + 4 * bytes)
  }
  return kept
}

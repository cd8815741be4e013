/** Translates what sharp reports about a file. */
import type { Metadata } from 'sharp'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { turnedExtent } from '../../shared/extent.ts'
import { isSrgbProfile } from './srgb-profile.ts'

export type StoredImage = {
  /** Whether the file specifies an orientation other than the normal one, so that its stored pixels aren't upright. */
  readonly isRotated: boolean
  /** Whether samples are unsigned integers of at most 8 bits. */
  readonly isEightBit: boolean
  /** Whether samples are unsigned integers of 8 or 16 bits for gray or RGB, which decoders can interpret in only one way. */
  readonly hasPlainSamples: boolean
  readonly pages: number
  readonly hasMetadata: boolean
}

export function factsOf(metadata: Metadata) {
  const height = metadata.pageHeight ?? metadata.height
  const rotatedByFile = (metadata.orientation ?? 1) >= 5
  return {
    ...turnedExtent({ width: metadata.width, height }, rotatedByFile),
    rotatedByFile,
    hasAlpha: metadata.hasAlpha,
    isGray: metadata.space === 'b-w' || metadata.space === 'grey16',
    isCmyk: metadata.space === 'cmyk',
    is16Bit: metadata.depth === 'ushort',
    bits: Math.max(8, metadata.bitsPerSample ?? 8),
    ...profileFacts(metadata.icc),
    density: metadata.density,
  }
}

export function storedFacts(metadata: Metadata): StoredImage {
  const { orientation = 1, pages = 1, exif, xmp, iptc, comments } = metadata
  return {
    isRotated: orientation !== 1,
    isEightBit: metadata.depth === 'uchar',
    hasPlainSamples: hasPlainSamples(metadata),
    pages,
    hasMetadata: [exif, xmp, iptc, comments].some((part) => part !== undefined),
  }
}

const PLAIN_DEPTHS: readonly (string | undefined)[] = ['uchar', 'ushort']
const PLAIN_SPACES: readonly (string | undefined)[] = ['b-w', 'srgb', 'grey16', 'rgb16']

const hasPlainSamples = ({ depth, space }: Metadata): boolean =>
  PLAIN_DEPTHS.includes(depth) && PLAIN_SPACES.includes(space)

export const profileFacts = (icc: Buffer | undefined) => ({
  hasProfile: icc !== undefined && isWhole(icc),
  hasOwnColors: icc !== undefined && !isSrgbProfile(icc),
})

/**
 * Returns whether a profile is as long as it states. Some encoders refuse a shorter profile. Other encoders would keep it, although
 * programs ignore it.
 */
const isWhole = (icc: Buffer): boolean => icc.length >= 4 && icc.readUInt32BE(0) <= icc.length

/** Formats that sharp calls as we do. */
const FORMATS = ['jpeg', 'png', 'webp', 'tiff', 'gif'] as const

export function formatOf({ format, compression }: Metadata): (typeof FORMATS)[number] | 'avif' | 'heic' {
  if (format === 'heif') return compression === 'av1' ? 'avif' : 'heic'
  const known = FORMATS.find((one) => one === format)
  if (known === undefined) throw new FailureError(failure('photoOfOtherKind', { format }))
  return known
}

/** Translates what sharp reports about a file. */
import type { Metadata } from 'sharp'
import { failed } from '../../shared/failure/failure-error.ts'
import { turnedExtent } from '../../shared/extent.ts'
import { isSrgbProfile } from './srgb-profile.ts'

export type StoredImage = ReturnType<typeof storedFacts>

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

export function storedFacts(metadata: Metadata) {
  const { orientation = 1, pages = 1, exif, xmp, iptc, comments } = metadata
  return {
    /** Whether the file specifies an orientation other than the normal one, so that its stored pixels aren't upright. */
    isRotated: orientation !== 1,
    /** Whether samples are unsigned integers of 8 or 16 bits for gray or RGB, which decoders can interpret in only one way. */
    hasPlainSamples: PLAIN_DEPTHS.includes(metadata.depth) && PLAIN_SPACES.includes(metadata.space),
    pages,
    hasMetadata: [exif, xmp, iptc, comments].some((part) => part !== undefined),
  }
}

const PLAIN_DEPTHS: readonly (string | undefined)[] = ['uchar', 'ushort']
const PLAIN_SPACES: readonly (string | undefined)[] = ['b-w', 'srgb', 'grey16', 'rgb16']

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
  if (known === undefined) throw failed('photoOfOtherKind', { format })
  return known
}

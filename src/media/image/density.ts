/** Keeps the pixel density if an encoder doesn't. */
import { readSync, writeSync } from 'node:fs'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import { uint32 } from '../big-endian.ts'
import { withOpenFile } from '../with-open-file.ts'
import { unlessTooShort } from './image-failure.ts'
import { MARKERS, segment, withSegments } from './jpeg-segments.ts'
import { chunksBeforePixels, looksLikePng, pngChunk } from './png-chunks.ts'
import { openExif } from './tiff-block.ts'

/** Density that programs assume if a file has none, in pixels per inch. */
export const USUAL_DENSITY = 72

export const INCHES_PER_METER = 39.3701
const CENTIMETERS = 3

const [RESOLUTION, UNIT] = [0x011a, 0x0128]

export type Density = {
  /** Horizontally; undefined if it isn't known. */
  readonly perInch?: number | undefined
  /** Width of a pixel as a share of its height. */
  readonly aspect: number
}

export const turnedDensity = ({ perInch, aspect }: Density): Density => ({
  perInch: perInch && perInch * aspect,
  aspect: 1 / aspect,
})

/** Maximum density. Larger numbers are mistakes, and formats can't store them. */
const MOST_DENSITY = 1_000_000

/** Returns undefined for mistakes, and for one pixel per inch, which stands for an unknown density. */
const ifKnown = (density: number | undefined): number | undefined =>
  density !== undefined && density > 1 && density <= MOST_DENSITY ? density : undefined

/**
 * Returns the pixels per inch of a photo; undefined if they are unknown.
 * @param stored the density in its header
 */
export const densityOf = (stored: number | undefined, exif: Buffer | undefined): number | undefined =>
  ifKnown(stored) ?? ifKnown(exif && densityInExif(exif))

const densityInExif = (exif: Buffer): number | undefined =>
  unlessTooShort(() => {
    const tiff = openExif(exif)
    const [resolution, unit] = [tiff?.first.get(RESOLUTION), tiff?.first.get(UNIT)]
    if (tiff === undefined || resolution === undefined) return undefined
    const at = tiff.read32(resolution.at)
    const stored = tiff.read32(at) / tiff.read32(at + 4)
    return unit !== undefined && tiff.read16(unit.at) === CENTIMETERS ? stored * 2.54 : stored
  })

/** Returns whether a JPEG needs a header for its density. sharp writes one only together with a profile. */
export const needsHeader = (
  format: OutputFormat,
  { perInch = USUAL_DENSITY, aspect }: Density = SQUARE,
): boolean => format === 'jpeg' && (Math.round(perInch) !== USUAL_DENSITY || aspect !== 1)

export const SQUARE: Density = { aspect: 1 }

/**
 * Writes the density to an encoded JPEG or PNG.
 * @param encoded by sharp
 */
export function withDensity(encoded: Buffer, format: OutputFormat, density: Density = SQUARE): Buffer {
  if (hasJpegHeader(encoded) || !needsHeader(format, density)) return overwritten(encoded, density)
  const header = segment(MARKERS.APP0, JFIF, Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 0]))
  return overwritten(withSegments(encoded, [header]), density)
}

/** Like `withDensity`, for a file on disk that doesn't need a new header. */
export function setDensityOf(path: string, format: 'jpeg' | 'png', density: Density): void {
  const change = (file: number) => {
    const head = Buffer.allocUnsafe(HEAD_BYTES[format])
    const length = readSync(file, head, 0, head.length, 0)
    writeSync(file, overwritten(head.subarray(0, length), density), 0, length, 0)
  }
  withOpenFile(path, change, 'r+')
}

/**
 * Bytes to read to find the density of a file: the first segment of a JPEG; all chunks before the pixels of a PNG, unless its profile is
 * large.
 */
const HEAD_BYTES = { jpeg: 20, png: 64 * 1024 }

const JFIF = 'JFIF\0'
const [FIRST, UNIT_AT] = [2, 13]

const hasJpegHeader = (file: Buffer): boolean =>
  file[FIRST] === 0xff && file[FIRST + 1] === MARKERS.APP0 && file.toString('latin1', 6, 11) === JFIF

/** Overwrites the stored density. libvips writes 25 pixels per inch for an unknown density; this function marks it as unknown. */
function overwritten(file: Buffer, density: Density): Buffer {
  if (hasJpegHeader(file)) {
    file.writeUInt8(density.perInch === undefined ? 0 : 1, UNIT_AT)
    for (const [index, value] of perUnit(density, 1).entries())
      file.writeUInt16BE(Math.min(0xffff, value), UNIT_AT + 1 + index * 2)
  }
  const stored = looksLikePng(file) && chunksBeforePixels(file).find(({ type }) => type === 'pHYs')
  if (stored) densityChunk(density).copy(file, stored.at)
  return file
}

/** The chunk for pixels per meter: two numbers, and a unit that may be unknown. */
function densityChunk(density: Density): Buffer {
  const isKnown = density.perInch !== undefined
  const numbers = uint32(...perUnit(density, INCHES_PER_METER))
  return pngChunk('pHYs', Buffer.concat([numbers, Buffer.from([isKnown ? 1 : 0])]))
}

/** Value for an unknown density. Only the ratio of the two values counts. */
const UNKNOWN = 1_000

function perUnit({ perInch, aspect }: Density, inches: number): readonly number[] {
  const across = perInch === undefined ? (aspect === 1 ? 1 : UNKNOWN) : perInch * inches
  return [across, across * aspect].map((value) => Math.max(1, Math.round(value)))
}

/** Keeps the pixels per inch where an encoder doesn't. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { unlessTooShort } from './image-failure.ts'
import { MARKERS, segment, withSegments } from './jpeg-segments.ts'
import type { OutputFormat } from './output-format.ts'
import { chunksOf, PNG_SIGNATURE, pngChunk } from './png-chunks.ts'
import { tiffBlock, withoutExifName } from './tiff-block.ts'

/** Programs assume this density, in pixels per inch, if a file has none. */
export const USUAL_DENSITY = 72

export const INCHES_PER_METER = 39.3701
const CENTIMETERS = 3

const [RESOLUTION, UNIT] = [0x011a, 0x0128]

/** Larger numbers are mistakes, which formats can't hold. */
const MOST_DENSITY = 1_000_000

/** One pixel per inch stands for an unknown density. */
const ifKnown = (density: number | undefined): number | undefined =>
  density !== undefined && density > 1 && density <= MOST_DENSITY ? density : undefined

/**
 * Returns the pixels per inch of a photo; undefined if they are unknown.
 * @param stored what its header says
 */
export const densityOf = (stored: number | undefined, exif: Buffer | undefined): number | undefined =>
  ifKnown(stored) ?? ifKnown(exif && densityInExif(exif))

function densityInExif(exif: Buffer): number | undefined {
  const block = withoutExifName(exif)
  return unlessTooShort(() => {
    const tiff = tiffBlock(block, block.toString('latin1', 0, 2))
    const entries = tiff?.directoryAt(tiff.read32(4))
    const [resolution, unit] = [entries?.get(RESOLUTION), entries?.get(UNIT)]
    if (tiff === undefined || resolution === undefined) return undefined
    const at = tiff.read32(resolution.at)
    const stored = tiff.read32(at) / tiff.read32(at + 4)
    return unit !== undefined && tiff.read16(unit.at) === CENTIMETERS ? stored * 2.54 : stored
  })
}

/** Returns whether a JPEG needs a header for its density. sharp writes one only together with a profile. */
export const needsHeader = (format: OutputFormat, density: number | undefined): density is number =>
  format === 'jpeg' && density !== undefined && Math.round(density) !== USUAL_DENSITY

/** @param encoded by sharp */
export function withDensity(encoded: Buffer, format: OutputFormat, density: number | undefined): Buffer {
  if (hasJpegHeader(encoded) || !needsHeader(format, density)) return overwritten(encoded, density)
  const header = segment(MARKERS.APP0, JFIF, Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 0]))
  return overwritten(withSegments(encoded, [header]), density)
}

/** Does the same for a file that doesn't need a header. */
export function setDensityOf(path: string, format: 'jpeg' | 'png', density: number | undefined): void {
  const file = openSync(path, 'r+')
  try {
    const head = Buffer.allocUnsafe(HEAD_BYTES[format])
    const length = readSync(file, head, 0, head.length, 0)
    writeSync(file, overwritten(head.subarray(0, length), density), 0, length, 0)
  } finally {
    closeSync(file)
  }
}

/** The first segment of a JPEG. The chunks before the pixels of a PNG are shorter, unless there is a large profile. */
const HEAD_BYTES = { jpeg: 20, png: 64 * 1024 }

const JFIF = 'JFIF\0'
const [FIRST, UNIT_AT] = [2, 13]

const hasJpegHeader = (file: Buffer): boolean =>
  file[FIRST] === 0xff && file[FIRST + 1] === MARKERS.APP0 && file.toString('latin1', 6, 11) === JFIF

/** Changes the bytes where they are. Without a density, libvips writes 25 pixels per inch; here, it becomes an unknown one. */
function overwritten(file: Buffer, density: number | undefined): Buffer {
  if (hasJpegHeader(file)) {
    const value = density === undefined ? 1 : Math.min(0xffff, Math.max(1, Math.round(density)))
    file.writeUInt8(density === undefined ? 0 : 1, UNIT_AT)
    for (const at of [1, 3]) file.writeUInt16BE(value, UNIT_AT + at)
  }
  if (!file.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return file
  for (const { type, at } of chunksOf(file)) {
    if (type === 'pHYs') densityChunk(density).copy(file, at)
    if (type === 'pHYs' || type === 'IDAT') break
  }
  return file
}

/** The chunk for pixels per meter: two numbers, and a unit that may be unknown. */
function densityChunk(density: number | undefined): Buffer {
  const body = Buffer.alloc(9)
  const perMeter = density === undefined ? 1 : Math.round(density * INCHES_PER_METER)
  body.writeUInt32BE(perMeter, 0)
  body.writeUInt32BE(perMeter, 4)
  body.writeUInt8(density === undefined ? 0 : 1, 8)
  return pngChunk('pHYs', body)
}

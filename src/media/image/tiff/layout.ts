/** How a TIFF image stores its pixels, and whether libvips or `readPixels` can read them. */
import { type Reason, reason } from '../../../shared/failure/failure.ts'
import { COMPRESSION, decompressorFor } from './decompress.ts'
import { type Directory, TAG, type TiffReader } from './directory.ts'
import { isReadable, type SampleFormat } from './samples.ts'

/** Values of PhotometricInterpretation. */
export const COLORS = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  mask: 4,
  cmyk: 5,
  ycbcr: 6,
  cieLab: 8,
  iccLab: 9,
  ituLab: 10,
  sensor: 32_803,
  linearSensor: 34_892,
} as const

/** Number of color channels, for each kind of colors that can be converted. */
const CHANNELS = new Map<number, number>([
  [COLORS.whiteIsZero, 1],
  [COLORS.blackIsZero, 1],
  [COLORS.rgb, 3],
  [COLORS.palette, 1],
  [COLORS.mask, 1],
  [COLORS.cmyk, 4],
  [COLORS.ycbcr, 3],
  [COLORS.cieLab, 3],
  [COLORS.iccLab, 3],
  [COLORS.ituLab, 3],
])
const LAB: readonly number[] = [COLORS.cieLab, COLORS.iccLab, COLORS.ituLab]
const SENSOR: readonly number[] = [COLORS.sensor, COLORS.linearSensor]
const GRAY: readonly number[] = [COLORS.whiteIsZero, COLORS.blackIsZero]

export type Layout = ReturnType<typeof layoutOf>

const SEPARATE = 2
/** ExtraSamples values. Zero means unspecified, which isn't transparency (TIFF 6.0, section 18). */
const [PREMULTIPLIED, STRAIGHT] = [1, 2]
const FORMATS = ['integer', 'integer', 'signed', 'float', 'integer'] as const

export function layoutOf(directory: Directory, { littleEndian }: TiffReader) {
  const { numbers, number } = directory
  const samples = number(TAG.samples, 1)
  // Some programs store more values than there are channels, or only one for all.
  const bits = numbers(TAG.bits).slice(0, samples)
  const formats = numbers(TAG.sampleFormat).slice(0, samples)
  const photometric = number(TAG.photometric, COLORS.blackIsZero)
  const compression = number(TAG.compression, COMPRESSION.none)
  const [width, height] = [number(TAG.width, 0), number(TAG.height, 0)]
  const isTiled = numbers(TAG.tileOffsets).length > 0
  const [across = 2, down = 2] = numbers(TAG.ycbcrSubsampling)
  const isFloat = formats[0] === 3
  // The definition of Lab determines its number format.
  const isDefined = LAB.includes(photometric) && !isFloat
  const format: SampleFormat | 'complex' = isDefined ? 'integer' : (FORMATS[formats[0] ?? 1] ?? 'complex')
  /** Number of pixels per chroma sample, horizontally and vertically. */
  const shared: readonly [number, number] = photometric === COLORS.ycbcr ? [across, down] : [1, 1]
  return {
    directory,
    littleEndian,
    width,
    height,
    bits: bits[0] ?? 1,
    format,
    /** Whether channels differ in depth or number format. */
    isMixed: isUneven(bits) || (!isDefined && isUneven(formats)),
    samples,
    photometric,
    compression,
    predictor: PREDICTED.includes(compression) ? number(TAG.predictor, 1) : 1,
    /** Whether each channel has its own blocks. */
    isPlanar: number(TAG.planes, 1) === SEPARATE && samples > 1,
    isTiled,
    /** Size of a strip or tile, in pixels. */
    blockWidth: isTiled ? number(TAG.tileWidth, 0) : width,
    blockHeight: isTiled ? number(TAG.tileHeight, 0) : Math.min(number(TAG.rowsPerStrip, height), height),
    offsets: numbers(isTiled ? TAG.tileOffsets : TAG.stripOffsets),
    lengths: numbers(isTiled ? TAG.tileBytes : TAG.stripBytes),
    shared,
    ...channelsOf(directory, photometric, samples),
  }
}

const isUneven = (values: readonly number[]): boolean => values.some((value) => value !== values[0])

type Channels = {
  /** Indices of the color channels, followed by the index of the transparency if there is one. */
  readonly kept: readonly number[]
  readonly alpha: 'none' | 'straight' | 'premultiplied'
}

function channelsOf({ numbers }: Directory, photometric: number, samples: number): Channels {
  const colors = CHANNELS.get(photometric) ?? samples
  const kept = Array.from({ length: Math.min(colors, samples) }, (_, channel) => channel)
  const extra = numbers(TAG.extraSamples).slice(0, samples - colors)
  const at = extra.findIndex((use) => use === PREMULTIPLIED || use === STRAIGHT)
  if (at < 0) return { kept, alpha: 'none' }
  return { kept: [...kept, colors + at], alpha: extra[at] === PREMULTIPLIED ? 'premultiplied' : 'straight' }
}

/** Compression schemes to which a predictor applies. */
const PREDICTED: readonly number[] = [
  COMPRESSION.lzw,
  COMPRESSION.deflate,
  COMPRESSION.oldDeflate,
  COMPRESSION.zstd,
]

/** Compression schemes that sharp's libtiff supports: none, fax, LZW, JPEG, Deflate, NeXT, PackBits, ThunderScan, LogLuv, WebP. */
const OF_LIBVIPS: ReadonlySet<number> = new Set([
  1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_946, 34_676, 34_677, 50_001,
])

/** Colors that libvips doesn't convert, or converts inaccurately. */
const NEVER_USUAL: readonly number[] = [...LAB, COLORS.ycbcr, COLORS.mask]

/** Returns whether libvips reads the image correctly. */
export function isUsual(layout: Layout): boolean {
  const { bits, photometric, samples, compression, isPlanar, isTiled, kept, directory } = layout
  const colors = CHANNELS.get(photometric)
  if (colors === undefined) return !SENSOR.includes(photometric) && OF_LIBVIPS.has(compression)
  if (layout.isMixed || layout.format !== 'integer' || !OF_LIBVIPS.has(compression)) return false
  // libjpeg converts YCbCr.
  if (compression === COMPRESSION.jpeg) return bits === 8 && !isPlanar
  if (NEVER_USUAL.includes(photometric)) return false
  // libvips refuses separate tiles, even of a single channel.
  if (isTiled && directory.number(TAG.planes, 1) === SEPARATE) return false
  if (isPlanar && (layout.lengths.includes(0) || layout.offsets.includes(0))) return false
  // libvips mixes up the planes of gray and transparency.
  if (isPlanar && colors < 3) return false
  if (kept.length < colors) return false
  // libvips would treat channels of unspecified purpose as transparency.
  if (kept.length !== samples || (photometric === COLORS.cmyk && samples > 4)) return false
  const isSmall = (GRAY.includes(photometric) || photometric === COLORS.palette) && samples === 1
  return (isSmall ? [1, 2, 4, 8, 16] : [8, 16]).includes(bits)
}

const NAMES: Readonly<Record<number, string>> = {
  33_003: 'JPEG 2000',
  33_005: 'JPEG 2000',
  34_661: 'JBIG',
  34_712: 'JPEG 2000',
  34_887: 'LERC',
  34_925: 'LZMA',
  50_002: 'JPEG XL',
  52_546: 'JPEG XL',
}

/** Returns why an unusual image can't be converted; undefined if it can. */
export function problemOf({ bits, format, ...layout }: Layout): Reason | undefined {
  const { compression, photometric, kept, alpha, shared } = layout
  const colors = CHANNELS.get(photometric)
  if (colors === undefined) return reason('tiffColors', { code: String(photometric) })
  if (layout.isMixed) return reason('tiffMixed')
  const isJpeg = compression === COMPRESSION.jpeg
  if (!isJpeg && decompressorFor(compression) === undefined)
    return reason('tiffCompression', { codec: NAMES[compression] ?? String(compression) })
  if (format === 'complex') return reason('tiffComplex', { bits })
  if (kept.length - (alpha === 'none' ? 0 : 1) < colors)
    return reason('tiffColors', { code: String(photometric) })
  const isShared = shared[0] > 1 || shared[1] > 1
  if (isReadable({ bits, format }) && (bits === 8 || !(isJpeg || isShared))) return undefined
  const code = ({ integer: 'tiffIntegers', signed: 'tiffSigned', float: 'tiffFloats' } as const)[format]
  return reason(code, { bits })
}

export const isLabColor = (photometric: number): boolean =>
  photometric >= COLORS.cieLab && photometric <= COLORS.ituLab

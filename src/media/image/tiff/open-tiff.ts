/**
 * Opens TIFF files that libvips rejects or decodes incorrectly, for example: samples of unusual depth or number format, Lab, channels of
 * unspecified purpose, separate tiles, and images that follow their thumbnail. Where necessary, rewrites their pixels as unsigned samples
 * of 8 or 16 bits in one strip, so that libvips does everything else.
 */
import { MAX_PIXELS_IN_MEMORY } from '../../../shared/extent.ts'
import { open } from 'node:fs/promises'
import sharp from 'sharp'
import { failed } from '../../../shared/failure/failure-error.ts'
import { damagedFile } from '../../damaged-file.ts'
import { decodeStrictly } from '../decoder-warnings.ts'
import { refuseTooManyPixels } from '../image-failure.ts'
import { unpremultiply } from '../straight-alpha.ts'
import {
  type Canvas,
  fromLab,
  fromPalette,
  fromYcbcr,
  invert,
  type LabCoding,
  toEightBits,
} from './colors.ts'
import { COMPRESSION } from './decompress.ts'
import {
  type Directory,
  firstDirectory,
  mainDirectory,
  startingAt,
  TAG,
  type TiffReader,
  tiffReader,
  writeTiff,
} from './directory.ts'
import { COLORS, isLabColor, isUsual, type Layout, layoutOf, problemOf } from './layout.ts'
import { fromOldJpeg } from './old-jpeg.ts'
import { readPixels, refuseDamagedTiles } from './read-pixels.ts'

/** Maximum number of channels per pixel. Photos have fewer, but a file can claim billions. */
const MOST_SAMPLES = 64

export type OpenTiff = {
  readonly input: Buffer
  readonly bits: number
  /** Whether the original has values brighter than white, as in HDR. */
  readonly losesHighlights: boolean
  /** Whether Lab was converted to sRGB, which has fewer colors. */
  readonly isLab: boolean
}

/**
 * Converts a TIFF that libvips doesn't read correctly.
 * @returns undefined if libvips should read the file
 * @throws FailureError if the image is damaged, too large, or has samples that can't be converted
 */
export async function openTiff(path: string): Promise<OpenTiff | undefined> {
  await using file = await open(path)
  const reader = await tiffReader(file)
  const directory = await mainDirectory(reader)
  if (directory === undefined || directory.number(TAG.samples, 1) > MOST_SAMPLES) return undefined
  const layout = layoutOf(directory, reader)
  const { bits, compression } = layout
  const isOldJpeg = compression === COMPRESSION.oldJpeg
  if (!isOldJpeg && isSparse(layout)) throw damagedFile('imagePartMissing')
  if (isUsual(layout) && directory.at === (await firstDirectory(reader))) return undefined
  const { width, height } = layout
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  const same = { bits, losesHighlights: false, isLab: false }
  if (isOldJpeg) return { input: await decodedJpeg(await file.readFile(), layout), ...same }
  if (isUsual(layout)) return { input: startingAt(await file.readFile(), reader, directory), ...same }
  const problem = problemOf(layout)
  if (problem !== undefined) throw failed('tiffUnsupported', { reason: problem })
  return { ...(await convertedFile(reader, layout)), bits }
}

/**
 * Returns whether a strip or tile isn't stored. For some of these, libvips would read the beginning of the file. Accepts a single strip
 * without a length. Doesn't check separate planes, because one that isn't needed may be missing.
 */
function isSparse({ width, height, blockWidth, blockHeight, isPlanar, ...layout }: Layout): boolean {
  const count = Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight)
  const offsets = isPlanar ? [] : layout.offsets.slice(0, count)
  return offsets.some((at, index) => at === 0 || (offsets.length > 1 && layout.lengths[index] === 0))
}

/** Checks a file that libvips reads. @throws an error if a tile is damaged and libvips would hide it */
export async function refuseDamagedTiff(path: string): Promise<void> {
  await using file = await open(path)
  const reader = await tiffReader(file)
  const directory = await mainDirectory(reader)
  if (directory !== undefined) await refuseDamagedTiles(reader, layoutOf(directory, reader))
}

async function decodedJpeg(file: Buffer, { directory }: Layout): Promise<Buffer> {
  const jpeg = sharp(fromOldJpeg(file, directory), {
    limitInputPixels: MAX_PIXELS_IN_MEMORY,
    failOn: 'warning',
  })
  const { data, info } = await decodeStrictly(jpeg)
  const { width, height, channels } = info
  return toFile({ samples: data, channels }, directory, { width, height, colors: channels < 3 ? 1 : 3 })
}

async function convertedFile(reader: TiffReader, layout: Layout): Promise<Omit<OpenTiff, 'bits'>> {
  const { directory, alpha, width, height } = layout
  const canvas = await readPixels(reader, layout)
  if (alpha === 'premultiplied') unpremultiply(canvas)
  const converted = convertColors(canvas, layout)
  const colors = converted.channels - (alpha === 'none' ? 0 : 1)
  const isLab = labCodingOf(layout) !== undefined
  const input = toFile(converted, directory, { width, height, colors, dropsProfile: isLab })
  return { input, losesHighlights: canvas.hasHighlights, isLab }
}

function convertColors(canvas: Canvas, layout: Layout): Canvas {
  const { photometric, directory, alpha } = layout
  const lab = labCodingOf(layout)
  if (lab !== undefined) fromLab(canvas, lab)
  if (photometric === COLORS.whiteIsZero) invert(canvas)
  if (photometric === COLORS.palette) {
    const palette = directory.numbers(TAG.colorMap)
    if (palette.length !== 3 * 2 ** layout.bits) throw damagedFile('paletteMissing')
    return fromPalette(canvas, palette)
  }
  if (photometric === COLORS.ycbcr)
    fromYcbcr(canvas, { weights: directory.numbers(TAG.ycbcrWeights), range: blackAndWhiteOf(layout) })
  // libvips loses the transparency of 16-bit CMYK.
  return photometric === COLORS.cmyk && alpha !== 'none' ? toEightBits(canvas) : canvas
}

/** Returns the values of black and white, from 0 to 255. Most files state them as sample values, some from 0 to 255 at any bit depth. */
function blackAndWhiteOf({ directory, bits, format }: Layout): readonly number[] {
  const stated = directory.numbers(TAG.referenceBlackWhite)
  const largest = Math.max(...stated)
  const most = format === 'float' ? 1 : 2 ** bits - 1
  const isOfSamples = most > 255 ? largest > 255 : largest <= most
  return isOfSamples ? stated.map((value) => (value * 255) / most) : stated
}

/** The illuminant D50, which image editors use if the file doesn't name one. */
const D50 = [0.3457, 0.3585] as const

/**
 * Returns how the file stores Lab colors (TIFF 6.0, section 23; Adobe's technical note of 2002; RFC 3949 for ITULAB); undefined for other
 * colors.
 */
function labCodingOf({ photometric, bits, format, directory }: Layout): LabCoding | undefined {
  const [x = 0, y = 0] = directory.numbers(TAG.whitePoint)
  const white = x > 0 && y > 0 ? ([x, y] as const) : D50
  const isFloat = format === 'float'
  const top = bits > 8 || isFloat ? 0xffff : 0xff
  const unit = top === 0xff ? 1 : 256
  const signed = (stored: number) => (stored > top / 2 ? stored - top - 1 : stored) / unit
  const linear = (least: number, most: number) => (stored: number) => least + (stored / top) * (most - least)
  const light = linear(0, 100)
  if (isFloat && isLabColor(photometric)) return { light, a: linear(-128, 127), b: linear(-128, 127), white }
  switch (photometric) {
    case COLORS.cieLab:
      return { light, a: signed, b: signed, white }
    case COLORS.iccLab: {
      const centered = (stored: number) => stored / unit - 128
      return { light: (stored) => (stored / unit / 255) * 100, a: centered, b: centered, white }
    }
    case COLORS.ituLab:
      return { light, a: linear(-21_760 / 255, 21_590 / 255), b: linear(-19_200 / 255, 31_800 / 255), white }
    default:
      return undefined
  }
}

/** Writes the pixels with everything else that libvips reads from the directory. */
function toFile(
  { samples, channels }: Canvas,
  directory: Directory,
  shape: {
    readonly width: number
    readonly height: number
    readonly colors: number
    readonly dropsProfile?: boolean
  },
): Buffer {
  const { width, height, colors, dropsProfile = false } = shape
  const isDeep = samples instanceof Uint16Array
  const photometric = { 1: COLORS.blackIsZero, 3: COLORS.rgb, 4: COLORS.cmyk }[colors] ?? COLORS.rgb
  const same = [TAG.orientation, TAG.resolutionX, TAG.resolutionY, TAG.resolutionUnit]
  const blobs = [TAG.xmp, TAG.iptc, ...(dropsProfile ? [] : [TAG.profile])]
  const tags = new Map<number, readonly number[] | Buffer>([
    [TAG.width, [width]],
    [TAG.height, [height]],
    [TAG.bits, Array.from({ length: channels }, () => (isDeep ? 16 : 8))],
    [TAG.compression, [COMPRESSION.none]],
    [TAG.photometric, [photometric]],
    [TAG.samples, [channels]],
    [TAG.rowsPerStrip, [height]],
    [TAG.planes, [1]],
    ...(channels > colors ? [[TAG.extraSamples, [2]] as const] : []),
  ])
  for (const tag of same) {
    const values = directory.numbers(tag)
    if (values.length > 0) tags.set(tag, values)
  }
  for (const tag of blobs) {
    const bytes = directory.bytes(tag)
    if (bytes !== undefined) tags.set(tag, bytes)
  }
  const { file, pixels } = writeTiff(tags, samples.byteLength)
  pixels.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
  return file
}

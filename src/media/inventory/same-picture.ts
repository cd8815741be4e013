/**
 * Compares a result with its original at 32 × 32 pixels. Decodes the original again with a different decoder, because a decoder may report
 * success for wrong pixels.
 */
import sharp, { type Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { transformImage } from '../image/draw-image.ts'
import { planGeometry } from '../image/geometry.ts'
import { openImage, type SourceImage } from '../image/source-image.ts'
import type { OtherVersion } from './other-decoder.ts'

const SIDE = 32
/**
 * Decoding takes hardly any time for images with at most this many pixels. They are decoded completely, and always compared unless they are
 * CMYK.
 */
const SMALL_PIXELS = 100_000

/** The dimensions for decoders that can reduce a large result. The reduction needn't be exact. */
const REDUCED = { width: SIDE * 4, height: SIDE * 4 }

/** Returns whether the result shows what the original shows, as far as another decoder can tell. */
export async function looksLikeOriginal(
  path: string,
  photo: SourceImage,
  resultPath: string,
  recipe: ImageRecipe,
): Promise<boolean> {
  const { otherDecode } = await import('./other-decoder.ts')
  const other = await otherDecode(path, photo)
  if (other === undefined) return true
  const { pixels: input, isRelative, contrast, ...shown } = other
  const source = { input, options: { raw: shown } }
  const geometry = planGeometry(shown, recipe, undefined)
  const before = await transformImage(
    {
      photo: { ...photo, ...shown, frames: 1 },
      source,
      format: 'png',
      geometry,
      recipe,
      variation: undefined,
    },
    'none',
  )
  const result = await openImage(resultPath)
  const isSmall = result.width * result.height <= SMALL_PIXELS
  const { input: content, options } = await result.source(isSmall ? undefined : REDUCED)
  const after = sharp(content, { ...options, failOn: 'none' })
  const shades = await lightness(isSmall ? await decoded(after) : after, recipe)
  return isSamePicture(await lightness(await decoded(before), recipe), shades, { isRelative, contrast })
}

/**
 * Returns whether a photo must be compared. Decoders of plain samples have proven themselves on billions of files, and another decode of a
 * large image would take too long. Images that need interpretation are rare: other number formats, HDR, and files that we decode ourselves.
 * FFmpeg interprets CMYK values as light, so CMYK images can't be compared.
 */
export function isWorthComparing({ stored, width, height, frames, isCmyk, hdr }: SourceImage): boolean {
  const isUsual = stored?.hasPlainSamples === true && hdr === undefined
  return !isCmyk && (!isUsual || width * height * frames <= SMALL_PIXELS)
}

/** Decodes an image completely, because decoders that reduce it turn fine stripes into moiré. */
const decoded = async (image: Sharp): Promise<Sharp> =>
  sharp(await image.png({ compressionLevel: 0 }).toBuffer())

/** Flattens an image and reduces it to its lightness. The image must not be resized yet, because sharp resizes only once. */
const lightness = (image: Sharp, { background }: ImageRecipe): Promise<Buffer> =>
  image.flatten({ background }).resize(SIDE, SIDE, { fit: 'fill' }).toColourspace('b-w').raw().toBuffer()

/** Side length of the blocks of pixels to average, because finer patterns depend on how the picture was reduced. */
const COARSE = 4
/** Standard deviation of differences that averaging explains (of 255). */
const AVERAGED_AWAY = 4
/** Maximum change of average lightness (of 255) that chroma subsampling causes in fine colored patterns. */
const LIGHTER = 40
/** Share of a coarse picture's contrast that may differ. */
const CONTRAST_SHARE = 0.3
/** Standard deviation up to which a picture counts as one plain area (of 255). */
const FLAT = 1.5
/** Lowest correlation of two versions of the same picture. */
const LEAST_CORRELATION = 0.5
/** Maximum difference of average lightness (of 255) that color conversions can cause. */
const MOST_DIFFERENCE = 110
/** Maximum loss of smoothness compared with the original. A picture that loses more is garbled. */
const NOISIER = 0.25

const ABSOLUTE = { isRelative: false, contrast: 1 }

/**
 * Compares structure rather than values: decoders interpret color spaces and number formats differently, but light and dark stay where they
 * are. If the two disagree, either decoder may be wrong. A broken decoder produces a plain area or noise, so a result that is neither
 * counts as right.
 */
export function isSamePicture(
  original: Uint8Array,
  result: Uint8Array,
  { isRelative, contrast }: Pick<OtherVersion, 'isRelative' | 'contrast'> = ABSOLUTE,
): boolean {
  const [a, b] = [momentsOf(original), momentsOf(result)]
  if (!isRelative && isSameFromAfar(original, result)) return true
  const areClose = isRelative || Math.abs(a.mean - b.mean) <= MOST_DIFFERENCE
  const [wasFlat, isFlat] = [a.deviation <= FLAT, b.deviation <= FLAT]
  if (wasFlat && isFlat) return areClose
  // A flat original may have a pattern that is too fine for 32 pixels, but that shows in the result.
  if (wasFlat) return true
  if (isFlat) return a.deviation * contrast <= 4 * FLAT
  if (areClose && correlation(original, a, result, b) >= LEAST_CORRELATION) return true
  return smoothness(result, b) >= smoothness(original, a) - NOISIER
}

/** Returns whether two pictures are the same except for details finer than a few pixels, such as stripes. */
function isSameFromAfar(original: Uint8Array, result: Uint8Array): boolean {
  const [a, b] = [coarse(original), coarse(result)]
  const differences = momentsOf(a.map((value, index) => value - (b[index] ?? 0)))
  const most = Math.max(AVERAGED_AWAY, CONTRAST_SHARE * momentsOf(a).deviation)
  return Math.abs(differences.mean) <= LIGHTER && differences.deviation <= most
}

function coarse(values: Uint8Array): Float64Array {
  const side = SIDE / COARSE
  const sums = new Float64Array(side * side)
  for (const [index, value] of values.entries()) {
    const [row, column] = [Math.floor(index / SIDE / COARSE), Math.floor((index % SIDE) / COARSE)]
    const at = row * side + column
    sums[at] = (sums[at] ?? 0) + value / COARSE ** 2
  }
  return sums
}

type Moments = { readonly mean: number; readonly deviation: number }

function momentsOf(values: Uint8Array | Float64Array): Moments {
  let [sum, squares] = [0, 0]
  for (const value of values) {
    sum += value
    squares += value * value
  }
  const mean = sum / values.length
  return { mean, deviation: Math.sqrt(Math.max(0, squares / values.length - mean * mean)) }
}

function correlation(one: Uint8Array, a: Moments, other: Uint8Array, b: Moments): number {
  let sum = 0
  for (const [index, value] of one.entries()) sum += (value - a.mean) * ((other[index] ?? 0) - b.mean)
  return sum / one.length / (a.deviation * b.deviation)
}

/** Returns the correlation of a picture with itself, moved by one pixel: near 1 for photos, near 0 for noise. */
const smoothness = (values: Uint8Array, moments: Moments): number =>
  correlation(values.subarray(1), moments, values.subarray(0, -1), moments)

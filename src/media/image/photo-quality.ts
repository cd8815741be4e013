/** Measures how similar a photo looks to its original. */
import sharp from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { type Quality, wholeScore } from '../../shared/quality/quality.ts'
import { displayedPixels } from './displayed-pixels.ts'
import { type Drawing, paint } from './draw-image.ts'
import { encodesWithoutLoss } from './encode-image.ts'
import { outputFormatFor } from './process-image.ts'
import type { RawImage } from './raw-image.ts'
import { AREAS_TO_CHECK, AREAS_TO_RATE, chooseParts, joinParts, type PartSize } from './sample-areas.ts'
import { imageOf, inSrgb, matching, openShown, shapePhoto } from './shown-photo.ts'
import { openImage } from './source-image.ts'
import { createScorer, LEAST_SIDE, type RgbImage } from './ssimulacra2.ts'
import { toSdr } from './to-sdr.ts'

/**
 * Measures the whole images, or parts of large ones.
 * @returns undefined if the images differ in size, or are too small to be compared
 */
export function photoQuality(
  original: RgbImage,
  result: RgbImage,
  size: PartSize = AREAS_TO_CHECK,
): Quality | undefined {
  const { width, height } = original
  if (Math.min(width, height) < LEAST_SIDE || result.width !== width || result.height !== height)
    return undefined
  const areas = chooseParts(original, size)
  const partsOf = (image: RgbImage) => joinParts(image, areas, size)
  const score = createScorer(partsOf(original))(partsOf(result))
  return { score: wholeScore(score), isSampled: areas !== undefined }
}

/**
 * Measures a result that has been decoded.
 * @param content the original, shaped for the result
 */
export async function qualityOfShown(
  shown: Buffer,
  content: RawImage,
  drawing: Drawing,
  size: PartSize,
): Promise<Quality | undefined> {
  const { format, recipe } = drawing
  if (encodesWithoutLoss(format, recipe)) return 'lossless'
  const original = imageOf(content)
  // A loss that the recipe asks for, such as fewer colors, doesn't count.
  paint(original, drawing)
  const before = await displayedPixels(sharp(await inSrgb(original)))
  return photoQuality(before, await displayedPixels(sharp(shown)), size)
}

/** Maximum number of pixels of an image to measure. Measuring decodes it twice more, so a larger one could use up the memory. */
const MOST_PIXELS = 60_000_000

/** Measures a few parts of a job's result. Decodes both images. Returns undefined if the result is too large or can't be compared. */
export async function qualityOfFile(
  path: string,
  resultPath: string,
  recipe: ImageRecipe,
): Promise<Quality | undefined> {
  const photo = await openImage(path)
  const format = outputFormatFor(photo, recipe)
  if (encodesWithoutLoss(format, recipe)) return 'lossless'
  const after = await openShown(resultPath)
  if (after.width * after.height > MOST_PIXELS) return undefined
  const before = toSdr(photo)
  const { content, drawing } = await shapePhoto(before, format, matching(after, before, recipe))
  const { input, options } = await after.source()
  return qualityOfShown(await inSrgb(sharp(input, options)), content, drawing, AREAS_TO_RATE)
}

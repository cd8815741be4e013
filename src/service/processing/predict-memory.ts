/** Predicts how much memory a photo needs, so that the photos that are processed at the same time fit (docs/performance.md). */
import type { FileHeader } from '../../shared/model/file-facts.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { Recipe } from '../../media/protocol.ts'

const MIB = 2 ** 20
/** A worker with its libraries. */
const WORKER = 160 * MIB
/** Bytes for each pixel of the original: most decoders work on a few rows, PNG on more. */
const DECODED = 2
/** Bytes for each pixel of the result, including what its encoder keeps. */
const ENCODED: Readonly<Record<string, number>> = {
  jpeg: 10,
  png: 4,
  tiff: 3,
  gif: 8,
  webp: 16,
  avif: 36,
  jxl: 36,
}
/** Bytes for each pixel if the format isn't known before the photo is decoded. */
const USUAL = 16
/** A search for a visual quality or a size compares results with the original. */
const COMPARED = 8

/** @returns bytes; those of a worker alone for a video, which has its own limit, and for dimensions that aren't known */
export function predictMemory(
  { width, height }: Pick<FileHeader, 'width' | 'height'>,
  recipe: Recipe,
): number {
  if (recipe.kind === 'video' || width === null || height === null) return WORKER
  const { image } = recipe
  const pixels = width * height
  const made = pixelsOf(image.size, width, height)
  const isSearched = image.look !== undefined || image.maxBytes !== undefined
  const each = (ENCODED[image.format] ?? USUAL) + (isSearched ? COMPARED : 0)
  return WORKER + pixels * DECODED + made * each
}

/** Returns the most pixels that the result may have. */
function pixelsOf(size: ImageRecipe['size'], width: number, height: number): number {
  if (size === undefined) return width * height
  // The image is cropped to the box, or the rest of the box is filled.
  if (size.fit !== 'inside') return (size.width ?? width) * (size.height ?? height)
  const scale = Math.min((size.width ?? Infinity) / width, (size.height ?? Infinity) / height)
  return width * height * Math.min(scale, size.enlarge ? Infinity : 1) ** 2
}

/** Finds out whether a recipe changes only an image's file size, or only its metadata. */
import { readFile } from 'node:fs/promises'
import { removesOnlyMetadata } from '../../shared/preset/only-metadata.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import { planGeometry } from './geometry.ts'
import { bare, carriesMetadata } from './bare/bare.ts'
import type { SourceFormat } from './sharp-source.ts'
import type { SourceImage } from './source-image.ts'
import { isLosslessWebp } from './webp-frames.ts'

/**
 * Returns whether the result would differ from the original only in quality and file size. With `neverLarger: 'always'`, differences caused
 * by another format don't count.
 * @param format the result's format
 */
export async function onlyCompresses(
  photo: SourceImage,
  format: SourceFormat,
  { recipe, neverLarger, inputPath }: Pick<FileJob<ImageRecipe>, 'recipe' | 'neverLarger' | 'inputPath'>,
): Promise<boolean> {
  const { stored } = photo
  if (changesPixels(photo, recipe) || (recipe.colour === 'srgb' && photo.hasOwnColors)) return false
  if (photo.frames > 1 && recipe.animation !== 'keep') return false
  if (neverLarger === 'always' ? recipe.hdr !== 'keep' && isBright(photo) : changesFormat(photo, format))
    return false
  if (recipe.metadata === 'keep') return true
  return stored?.hasMetadata === false && !(await carriesMetadata(inputPath, photo.format))
}

/** Returns whether encoding in this format changes more than the quality. CMYK is always converted, and further pages are lost. */
function changesFormat({ stored, frames, isCmyk, ...photo }: SourceImage, format: SourceFormat): boolean {
  if (stored === undefined || format !== photo.format || stored.isRotated || isCmyk) return true
  return stored.pages > 1 && frames === 1
}

const isBright = (photo: SourceImage): boolean =>
  photo.hdr !== undefined || photo.gainMap !== undefined || photo.losesGainMap === true

/** Returns whether a recipe only removes metadata. In that case, the coded pixels stay if the file's structure allows it. */
export function onlyRemovesMetadata(photo: SourceImage, recipe: ImageRecipe): boolean {
  const { colour, hdr, bitDepth } = recipe
  return (
    removesOnlyMetadata(recipe) &&
    (colour === 'keep' || !(photo.hasProfile || photo.isCmyk)) &&
    (hdr === 'keep' || !isBright(photo)) &&
    bitDepth <= photo.bits &&
    !changesPixels(photo, recipe)
  )
}

/**
 * Returns whether a job keeps the exact pixels of a photo, because it only removes metadata and can copy the coded pixels or encode them
 * without loss. Assumes that every JPEG XL file can be copied.
 */
export async function keepsPixels(path: string, photo: SourceImage, recipe: ImageRecipe): Promise<boolean> {
  if (!onlyRemovesMetadata(photo, recipe)) return false
  if (photo.format === 'jxl' || (await isStoredWithoutLoss(path, photo))) return true
  return (await bare(photo.content ?? (await readFile(path)), photo.format)) !== undefined
}

/** Returns whether a file stores its pixels without loss. Assumes that every TIFF does, and that JPEG XL and AVIF don't. */
export async function isStoredWithoutLoss(path: string, { format, content }: SourceImage): Promise<boolean> {
  if (format === 'webp') return isLosslessWebp(content ?? (await readFile(path)))
  return format === 'png' || format === 'tiff' || format === 'gif' || format === 'bmp'
}

function changesPixels(photo: SourceImage, recipe: ImageRecipe): boolean {
  const { scaled, kept, rotation, framed } = planGeometry(photo, recipe, undefined)
  const keepsShape = [scaled, kept, framed].every((change) => change === undefined) && rotation === 0
  return !keepsShape || (recipe.grayscale && !photo.isGray)
}

/** Finds out whether a recipe changes only an image's file size, or only its metadata. */
import { removesOnlyMetadata } from '../../shared/preset/only-metadata.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { planGeometry } from './geometry.ts'
import { carriesMetadata } from './bare/bare.ts'
import type { SourceImage, SourceFormat } from './source-image.ts'

/**
 * Returns whether the result would differ from the original only in quality and file size.
 * @param format the result's format
 */
export async function onlyCompresses(
  photo: SourceImage,
  format: SourceFormat,
  recipe: ImageRecipe,
  inputPath: string,
): Promise<boolean> {
  const { stored } = photo
  if (stored === undefined || format !== photo.format || stored.isRotated) return false
  if (changesPixels(photo, recipe) || convertsColors(photo, recipe)) return false
  // The result would lose all pages or frames but the first.
  if (stored.pages > 1 && photo.frames === 1) return false
  if (photo.frames > 1 && recipe.animation !== 'keep') return false
  if (recipe.metadata === 'keep') return true
  return !stored.hasMetadata && !(await carriesMetadata(inputPath, format))
}

/** Returns whether a recipe only removes metadata. In that case, the coded pixels stay if the file's structure allows it. */
export function onlyRemovesMetadata(photo: SourceImage, recipe: ImageRecipe): boolean {
  const { colour, hdr, bitDepth } = recipe
  const isLight = photo.hdr !== undefined || photo.gainMap !== undefined || photo.losesGainMap === true
  return (
    removesOnlyMetadata(recipe) &&
    (colour === 'keep' || !(photo.hasProfile || photo.isCmyk)) &&
    (hdr === 'keep' || !isLight) &&
    bitDepth <= photo.bits &&
    !changesPixels(photo, recipe)
  )
}

function changesPixels(photo: SourceImage, recipe: ImageRecipe): boolean {
  const { scaled, kept, rotation, framed } = planGeometry(photo, recipe, undefined)
  const keepsShape = [scaled, kept, framed].every((change) => change === undefined) && rotation === 0
  return !keepsShape || (recipe.grayscale && !photo.isGray)
}

/** Returns whether the recipe converts colors. CMYK is always converted, whereas an sRGB profile can stay. */
const convertsColors = ({ isCmyk, hasOwnColors }: SourceImage, { colour }: ImageRecipe): boolean =>
  isCmyk || (colour === 'srgb' && hasOwnColors)

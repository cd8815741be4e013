/** Returns whether a recipe would only change an image's file size. */
import { DEFAULT_QUALITY } from '../../shared/preset/look.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { planGeometry } from './geometry.ts'
import { carriesMetadata } from './embedded-metadata.ts'
import type { SourceImage, SourceFormat } from './source-image.ts'

/** @param format the result's format */
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

/** From this quality on, a recipe asks for a picture that looks the same, not for a small file. */
const VISUALLY_LOSSLESS = 90

/**
 * Returns whether a recipe only removes metadata from a JPEG XL. Then the coded pixels stay, and a file that was made from a JPEG still goes
 * back to it. Other formats are encoded again.
 */
export function onlyRemovesMetadata(photo: SourceImage, format: SourceFormat, recipe: ImageRecipe): boolean {
  const { look, maxBytes, lossless, quality = DEFAULT_QUALITY, colour, hdr, animation } = recipe
  return (
    format === 'jxl' &&
    photo.format === 'jxl' &&
    recipe.metadata !== 'keep' &&
    look === undefined &&
    maxBytes === undefined &&
    (lossless || quality >= VISUALLY_LOSSLESS) &&
    (colour === 'keep' || !photo.hasProfile) &&
    (hdr === 'keep' || photo.hdr === undefined) &&
    animation === 'keep' &&
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

/** Whether a recipe would do nothing to a picture but write its pixels in another number of bytes. */
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { planGeometry } from './geometry.ts'
import { carriesMetadata } from './embedded-metadata.ts'
import type { Picture, PictureFormat } from './picture.ts'

/** @param format of the result */
export async function onlyCompresses(
  picture: Picture,
  format: PictureFormat,
  recipe: ImageRecipe,
  inputPath: string,
): Promise<boolean> {
  const { stored } = picture
  if (stored === undefined || format !== picture.format || stored.isTurned) return false
  if (changesPixels(picture, recipe) || convertsColours(picture, recipe)) return false
  // Of several pages, all but the first are left out.
  if (stored.pages > 1 && (picture.frames === 1 || recipe.animation !== 'keep')) return false
  if (recipe.metadata === 'keep') return true
  return !stored.hasMetadata && !(await carriesMetadata(inputPath, format))
}

function changesPixels(picture: Picture, recipe: ImageRecipe): boolean {
  const { scaled, kept, turn, framed } = planGeometry(picture, recipe, undefined)
  const keepsShape = [scaled, kept, framed].every((change) => change === undefined) && turn === 0
  return !keepsShape || (recipe.grayscale && !picture.isGray)
}

/** Ink is always converted. A profile that says sRGB anyway may stay. */
const convertsColours = ({ isCmyk, stored }: Picture, { colour }: ImageRecipe): boolean =>
  isCmyk || (colour === 'srgb' && stored?.profile === 'other')

/** Recipes that only remove metadata from photos. */
import { DEFAULT_QUALITY } from './look.ts'
import type { ImageRecipe } from './preset.ts'

/** The lowest quality at which a recipe asks for an image that looks the same, not for a small file. */
const VISUALLY_LOSSLESS = 90

/** Whether a recipe only removes metadata. Doesn't check changes to pixels, color profiles and HDR, because some depend on the photo. */
export const removesOnlyMetadata = (recipe: ImageRecipe): boolean =>
  recipe.format === 'same' &&
  recipe.metadata !== 'keep' &&
  recipe.look === undefined &&
  recipe.maxBytes === undefined &&
  (recipe.lossless || (recipe.quality ?? DEFAULT_QUALITY) >= VISUALLY_LOSSLESS) &&
  recipe.animation === 'keep'

/** One picture in the way that its recipe wishes for: with a quality, or under a size. */
import type { Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import {
  encodePicture,
  type EncodedPicture,
  encodesWithoutLoss,
  type EncoderSettings,
  type OutputFormat,
} from './encode-picture.ts'
import { fitIntoBytes } from './fit-size.ts'
import { readyPicture } from './ready-picture.ts'

export type GoalRecipe = EncoderSettings & Pick<ImageRecipe, 'maxBytes' | 'mayShrink'>

/** Whether more than one encoding may be needed. */
export const hasGoal = ({ maxBytes }: GoalRecipe): boolean => maxBytes !== undefined

export type Trying = {
  readonly isAnimated: boolean
  /** Called before each encoding; whoever wants to stop throws here. */
  beforeEach(): void
}

/**
 * @param image with all that is to be done to it
 * @throws ProcessingError where the wish can't be met
 */
export async function encodeToGoal(
  image: Sharp,
  format: OutputFormat,
  recipe: GoalRecipe,
  trying: Trying,
): Promise<EncodedPicture> {
  const { maxBytes, mayShrink } = recipe
  if (maxBytes === undefined) return encodePicture(image, format, recipe)
  const ready = await readyPicture(image, trying.isAnimated)
  const fit = (settings: EncoderSettings) =>
    fitIntoBytes(
      {
        width: ready.width,
        height: ready.height,
        isLossless: encodesWithoutLoss(format, recipe),
        encode(quality, smaller) {
          trying.beforeEach()
          return encodePicture(ready.open(smaller), format, { ...settings, quality })
        },
      },
      { maxBytes, mayShrink },
    )
  const fitted = await fit(recipe)
  if (format !== 'jpeg' || fitted.bytes.length >= maxBytes * WELL_USED) return fitted
  // Where JPEG begins to keep all colours, a third more bytes are needed at once: what lies between has half of them.
  const other = await fit({ ...recipe, colours: 'half' })
  return other.bytes.length > fitted.bytes.length ? other : fitted
}

const WELL_USED = 0.9

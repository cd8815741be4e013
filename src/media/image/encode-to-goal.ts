/** Encodes an image to meet its recipe's goal: a quality setting, a visual quality target or a maximum file size. */
import type { Sharp } from 'sharp'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import { lookNumber } from '../../shared/preset/look.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { encodeImage, type EncodedImage, encodesWithoutLoss, type EncoderSettings } from './encode-image.ts'
import { fitIntoBytes } from './fit-size.ts'
import { encodeToVisualQuality } from './visual-quality.ts'
import { encoderValue, hasQuality } from './quality-scale.ts'
import { renderImage, type RenderedImage } from './rendered-image.ts'

export type GoalRecipe = EncoderSettings & Pick<ImageRecipe, 'look' | 'maxBytes' | 'mayShrink'>

/** Returns whether meeting the goal may take more than one encoding. */
export const hasGoal = ({ look, maxBytes }: GoalRecipe): boolean =>
  look !== undefined || maxBytes !== undefined

export type Trying = {
  /** Called before each encoding. May throw to stop the search. */
  readonly beforeEach: () => void
}

/**
 * Encodes the image to meet the recipe's goal.
 * @param image with all operations queued
 * @throws FailureError if the image can't meet the goal
 */
export async function encodeToGoal(
  image: Sharp,
  format: OutputFormat,
  recipe: GoalRecipe,
  trying: Trying,
): Promise<EncodedImage> {
  const { look, maxBytes } = recipe
  const isGiven = look !== undefined && encodesWithoutLoss(format, recipe)
  if (isGiven || !hasGoal(recipe)) return encodeImage(image, format, recipe)
  const ready = await renderImage(image, recipe.timing)
  const { beforeEach } = trying
  const settings = { ...recipe, timing: ready.timing }
  if (look !== undefined)
    return encodeToVisualQuality({ ready, format, settings, score: lookNumber(look), beforeEach })
  return encodeUnder(maxBytes ?? Infinity, ready, format, settings, beforeEach)
}

async function encodeUnder(
  maxBytes: number,
  ready: RenderedImage,
  format: OutputFormat,
  recipe: GoalRecipe,
  beforeEach: () => void,
): Promise<EncodedImage> {
  function fit(settings: EncoderSettings): Promise<EncodedImage> {
    // Several search steps can map to the same encoder setting. Encode the image only once per setting and size.
    const known = new Map<string, Promise<EncodedImage>>()
    const { width, height } = ready
    return fitIntoBytes(
      {
        width,
        height,
        isLossless: encodesWithoutLoss(format, recipe),
        encode(quality, smaller) {
          beforeEach()
          const step = quality !== undefined && hasQuality(format) ? encoderValue(format, quality) : quality
          const key = `${step} ${smaller?.width} ${smaller?.height}`
          const encoded = known.get(key) ?? encodeImage(ready.open(smaller), format, { ...settings, quality })
          known.set(key, encoded)
          return encoded
        },
      },
      { maxBytes, mayShrink: recipe.mayShrink },
    )
  }
  const fitted = await fit(recipe)
  if (format !== 'jpeg' || fitted.bytes.length >= maxBytes * WELL_USED) return fitted
  // Full chroma makes a JPEG a third larger. Half chroma at a higher quality may use more of the allowed bytes.
  const other = await fit({ ...recipe, colors: 'half' })
  return other.bytes.length > fitted.bytes.length ? other : fitted
}

const WELL_USED = 0.9

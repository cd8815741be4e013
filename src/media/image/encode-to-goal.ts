/** One picture in the way that its recipe wishes for: with a quality, with a look, or under a size. */
import type { Sharp } from 'sharp'
import { lookNumber } from '../../shared/preset/look.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import {
  encodePicture,
  type EncodedPicture,
  encodesWithoutLoss,
  type EncoderSettings,
  type OutputFormat,
} from './encode-picture.ts'
import { fitIntoBytes } from './fit-size.ts'
import { encodeWithLook } from './look.ts'
import { encoderValue, hasQuality } from './quality-scale.ts'
import { readyPicture, type ReadyPicture } from './ready-picture.ts'

export type GoalRecipe = EncoderSettings & Pick<ImageRecipe, 'look' | 'maxBytes' | 'mayShrink'>

/** Whether more than one encoding may be needed. */
export const hasGoal = ({ look, maxBytes }: GoalRecipe): boolean =>
  look !== undefined || maxBytes !== undefined

export type Trying = {
  readonly isAnimated: boolean
  /** Called before each encoding; whoever wants to stop throws here. */
  readonly beforeEach: () => void
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
  const { look, maxBytes } = recipe
  const isGiven = look !== undefined && encodesWithoutLoss(format, recipe)
  if (isGiven || !hasGoal(recipe)) return encodePicture(image, format, recipe)
  const ready = await readyPicture(image, trying.isAnimated)
  const { beforeEach } = trying
  if (look !== undefined)
    return encodeWithLook({ ready, format, settings: recipe, score: lookNumber(look), beforeEach })
  return encodeUnder({ ready, format, recipe, maxBytes: maxBytes ?? Infinity, beforeEach })
}

type SizeSearch = Pick<Trying, 'beforeEach'> & {
  readonly ready: ReadyPicture
  readonly format: OutputFormat
  readonly recipe: GoalRecipe
  readonly maxBytes: number
}

async function encodeUnder({
  ready,
  format,
  recipe,
  maxBytes,
  beforeEach,
}: SizeSearch): Promise<EncodedPicture> {
  function fit(settings: EncoderSettings): Promise<EncodedPicture> {
    // An encoder knows fewer steps of quality than the search tries.
    const known = new Map<string, Promise<EncodedPicture>>()
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
          const encoded =
            known.get(key) ?? encodePicture(ready.open(smaller), format, { ...settings, quality })
          known.set(key, encoded)
          return encoded
        },
      },
      { maxBytes, mayShrink: recipe.mayShrink },
    )
  }
  const fitted = await fit(recipe)
  if (format !== 'jpeg' || fitted.bytes.length >= maxBytes * WELL_USED) return fitted
  // Where JPEG begins to keep all colours, a third more bytes are needed at once: what lies between has half of them.
  const other = await fit({ ...recipe, colours: 'half' })
  return other.bytes.length > fitted.bytes.length ? other : fitted
}

const WELL_USED = 0.9

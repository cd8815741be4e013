/**
 * Encodes a photo to a visual quality target, in any format.
 * Finds the quality by encoding and scoring sample parts. Then encodes the whole image and scores other parts of the result. If
 * their score is too high or too low, adjusts the quality and encodes the image again.
 */
import sharp from 'sharp'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import { displayedPixels, openEncoded } from './displayed-pixels.ts'
import { encodeImage, type EncodedImage, type EncoderSettings } from './encode-image.ts'
import { type Outcome, qualityFor, type TriedQualities } from './find-quality.ts'
import { chooseParts, joinParts, AREAS_TO_CHECK, AREAS_TO_TRY, type PartSize } from './sample-areas.ts'
import { encoderValue, hasQuality, likelyQuality } from './quality-scale.ts'
import { type Quality, SAME_QUALITY, wholeScore } from '../../shared/quality/quality.ts'
import type { RenderedImage } from './rendered-image.ts'
import { createScorer, type RgbImage } from './ssimulacra2.ts'

const NEAR_ENOUGH_AS_A_WHOLE = 1
/** From this target score on, full chroma takes fewer bytes than a higher quality with half chroma. */
const FULL_COLORS_FROM = 82

export type QualitySearch = {
  readonly ready: RenderedImage
  readonly format: OutputFormat
  readonly settings: EncoderSettings
  /** Target SSIMULACRA 2 score. */
  readonly score: number
  readonly beforeEach: () => void
}

export async function encodeToVisualQuality(search: QualitySearch): Promise<EncodedImage> {
  const { ready, format, score, beforeEach } = search
  const original = await ready.displayedPixels()
  const colors = score >= FULL_COLORS_FROM ? 'full' : 'half'
  const settings = { ...search.settings, colors } as const
  const tried = tryParts(original, { ...search, settings })
  const encodeWhole = (quality: number) => {
    beforeEach()
    return encodeImage(ready.open(), format, { ...settings, quality })
  }
  const quality = await qualityFor(score, tried, likelyQuality(score))
  const first = await encodeWhole(quality)
  const check = partsOf(original, AREAS_TO_CHECK)
  if (check.isWhole && tried.isWhole)
    return { ...first, quality: rated((await tried.tryAt(quality)).score, false) }
  const scoreParts = createScorer(check.of(original))
  const scoreOf = async ({ bytes }: EncodedImage): Promise<number> => {
    beforeEach()
    return scoreParts(check.of(await displayedPixels(await openEncoded(bytes, format))))
  }
  const reached = await scoreOf(first)
  const withScore = (image: EncodedImage, score: number): EncodedImage => ({
    ...image,
    quality: rated(score, !check.isWhole),
  })
  // If the sample parts can't reach the target, aim for the score that they did reach.
  const { score: expected } = await tried.tryAt(quality)
  const aim = Math.abs(expected - score) <= SAME_QUALITY ? score : expected
  const missed = aim - reached
  const better =
    Math.abs(missed) <= NEAR_ENOUGH_AS_A_WHOLE ? quality : await qualityFor(score + missed, tried, quality)
  if (better === quality) return withScore(first, reached)
  const again = await encodeWhole(better)
  return withScore(again, await scoreOf(again))
}

const rated = (score: number, isSampled: boolean): Quality => ({ score: wholeScore(score), isSampled })

type TriedParts = TriedQualities & { readonly isWhole: boolean }

/** Encodes and scores the sample parts, once per encoder setting. */
function tryParts(original: RgbImage, { format, settings, beforeEach }: QualitySearch): TriedParts {
  const parts = partsOf(original, AREAS_TO_TRY)
  const { pixels, width, height } = parts.of(original)
  const score = createScorer({ pixels, width, height })
  const known = new Map<number, Promise<Outcome>>()
  const stepOf = (quality: number) => (hasQuality(format) ? encoderValue(format, quality) : quality)
  const encode = async (quality: number): Promise<Outcome> => {
    beforeEach()
    const image = sharp(pixels, { raw: { width, height, channels: 3 } })
    const { bytes } = await encodeImage(image, format, { ...settings, quality, timing: undefined })
    return { score: score(await displayedPixels(await openEncoded(bytes, format))), bytes: bytes.length }
  }
  return {
    isWhole: parts.isWhole,
    stepOf,
    tryAt(quality) {
      const tried = known.get(stepOf(quality)) ?? encode(quality)
      known.set(stepOf(quality), tried)
      return tried
    },
  }
}

function partsOf(original: RgbImage, size: PartSize) {
  const areas = chooseParts(original, size)
  return { isWhole: areas === undefined, of: (photo: RgbImage) => joinParts(photo, areas, size) }
}

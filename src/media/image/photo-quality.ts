/** Measures how similar a photo looks to its original. */
import { type Quality, wholeScore } from '../../shared/quality/quality.ts'
import { AREAS_TO_CHECK, chooseParts, joinParts } from './sample-areas.ts'
import { createScorer, LEAST_SIDE, type RgbImage } from './ssimulacra2.ts'

/** @returns undefined if the images differ in size, or are too small to be compared */
export function photoQuality(original: RgbImage, result: RgbImage): Quality | undefined {
  const { width, height } = original
  if (Math.min(width, height) < LEAST_SIDE || result.width !== width || result.height !== height)
    return undefined
  const areas = chooseParts(original, AREAS_TO_CHECK)
  const partsOf = (image: RgbImage) => joinParts(image, areas, AREAS_TO_CHECK)
  const score = createScorer(partsOf(original))(partsOf(result))
  return { score: wholeScore(score), isSampled: areas !== undefined }
}

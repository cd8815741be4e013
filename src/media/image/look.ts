/**
 * The quality with which a photo has a certain look, in any format. Encoders are tried on parts of the picture and their results
 * scored; the whole is made once, looked at in other parts, and made again where these were harder or easier.
 */
import sharp from 'sharp'
import { asSeen, openEncoded } from './as-seen.ts'
import {
  encodePicture,
  type EncodedPicture,
  type EncoderSettings,
  type OutputFormat,
} from './encode-picture.ts'
import { chooseParts, joinParts, PARTS_TO_CHECK, PARTS_TO_TRY, type PartSize } from './look-parts.ts'
import { encoderValue, hasQuality, valueAt, type Points } from './quality-scale.ts'
import type { ReadyPicture } from './ready-picture.ts'
import { createScorer, type RgbPicture } from './ssimulacra2.ts'

/** Points of the score that nobody sees. */
const NEAR = 0.5
const NEAR_ENOUGH_AS_A_WHOLE = 1
const MOST_TRIES = 6
const QUALITY_STEP = 0.25
/** From this score on, colours in full resolution cost fewer bytes than a higher quality does. */
const FULL_COLOURS_FROM = 82

export type LookSearch = {
  readonly ready: ReadyPicture
  readonly format: OutputFormat
  readonly settings: EncoderSettings
  /** SSIMULACRA 2. */
  readonly score: number
  readonly beforeEach: () => void
}

export async function encodeWithLook(search: LookSearch): Promise<EncodedPicture> {
  const { ready, format, score, beforeEach } = search
  const original = await ready.asSeen()
  const colours = score >= FULL_COLOURS_FROM ? 'full' : 'half'
  const settings = { ...search.settings, colours } as const
  const tried = partsScorer(original, { ...search, settings })
  const encodeWhole = (quality: number) => {
    beforeEach()
    return encodePicture(ready.open(), format, { ...settings, quality })
  }
  const quality = await qualityFor(score, tried, likelyQuality(score))
  const first = await encodeWhole(quality)
  const check = partsOf(original, PARTS_TO_CHECK)
  if (check.isWhole && tried.isWhole) return first
  beforeEach()
  const made = await asSeen(await openEncoded(first.bytes, format))
  const missed = score - createScorer(check.of(original))(check.of(made))
  if (Math.abs(missed) <= NEAR_ENOUGH_AS_A_WHOLE) return first
  const better = await qualityFor(score + missed, tried, quality)
  return better === quality ? first : encodeWhole(better)
}

type TriedScorer = { readonly isWhole: boolean; readonly scoreAt: (quality: number) => Promise<number> }

/** What the parts score at a quality; none is encoded twice. */
function partsScorer(original: RgbPicture, { format, settings, beforeEach }: LookSearch): TriedScorer {
  const parts = partsOf(original, PARTS_TO_TRY)
  const { pixels, width, height } = parts.of(original)
  const score = createScorer({ pixels, width, height })
  const known = new Map<number, Promise<number>>()
  const encode = async (quality: number) => {
    beforeEach()
    const image = sharp(pixels, { raw: { width, height, channels: 3 } })
    const { bytes } = await encodePicture(image, format, { ...settings, quality })
    return score(await asSeen(await openEncoded(bytes, format)))
  }
  return {
    isWhole: parts.isWhole,
    scoreAt(quality) {
      // Encoders have coarser steps than the search.
      const value = hasQuality(format) ? encoderValue(format, quality) : quality
      const scored = known.get(value) ?? encode(quality)
      known.set(value, scored)
      return scored
    },
  }
}

function partsOf(original: RgbPicture, size: PartSize) {
  const areas = chooseParts(original, size)
  return { isWhole: areas === undefined, of: (picture: RgbPicture) => joinParts(picture, areas, size) }
}

type Tried = { readonly quality: number; readonly score: number }

/** @returns the quality of the try that came nearest */
export async function qualityFor(
  wanted: number,
  { scoreAt }: Pick<TriedScorer, 'scoreAt'>,
  start: number,
): Promise<number> {
  const tries: Tried[] = []
  let quality = rounded(start)
  while (tries.length < MOST_TRIES && tries.every((one) => one.quality !== quality)) {
    const score = await scoreAt(quality)
    tries.push({ quality, score })
    if (Math.abs(score - wanted) <= NEAR) break
    quality = nextQuality(tries, { quality, score }, wanted)
  }
  const nearest = tries.reduce((one, other) =>
    Math.abs(other.score - wanted) < Math.abs(one.score - wanted) ? other : one,
  )
  return nearest.quality
}

function nextQuality(tries: readonly Tried[], last: Tried, wanted: number): number {
  const byScore = tries.toSorted((one, other) => one.score - other.score)
  const below = byScore.findLast(({ score }) => score <= wanted)
  const above = byScore.find(({ score }) => score > wanted)
  if (below !== undefined && above !== undefined) {
    const share = (wanted - below.score) / (above.score - below.score)
    return rounded(below.quality + Math.max(0.1, Math.min(0.9, share)) * (above.quality - below.quality))
  }
  // This photo is harder or easier than most by so many points.
  return rounded(last.quality + likelyQuality(wanted) - likelyQuality(last.score))
}

const rounded = (quality: number): number =>
  Math.max(1, Math.min(100, Math.round(quality / QUALITY_STEP) * QUALITY_STEP))

/** The median score of JPEG. */
const SCORE_OF_JPEG: Points = [
  [1, -80],
  [10, 0],
  [25, 48],
  [40, 62],
  [60, 71],
  [75, 78],
  [82, 81],
  [90, 89],
  [96, 93],
  [100, 96],
]

/** Where to begin looking for a quality that scores so high. */
export function likelyQuality(score: number): number {
  return valueAt(
    SCORE_OF_JPEG.map(([quality, typical]) => [typical, quality]),
    score,
  )
}

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
import { likelyQuality, type Outcome, qualityFor, SAME_LOOK, type TriedQualities } from './find-quality.ts'
import { chooseParts, joinParts, PARTS_TO_CHECK, PARTS_TO_TRY, type PartSize } from './look-parts.ts'
import { encoderValue, hasQuality } from './quality-scale.ts'
import type { ReadyPicture } from './ready-picture.ts'
import { createScorer, type RgbPicture } from './ssimulacra2.ts'

const NEAR_ENOUGH_AS_A_WHOLE = 1
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
  const tried = tryParts(original, { ...search, settings })
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
  // Where the parts that were tried have no such look, the others are held against what these have instead.
  const { score: expected } = await tried.tryAt(quality)
  const aim = Math.abs(expected - score) <= SAME_LOOK ? score : expected
  const missed = aim - createScorer(check.of(original))(check.of(made))
  if (Math.abs(missed) <= NEAR_ENOUGH_AS_A_WHOLE) return first
  const better = await qualityFor(score + missed, tried, quality)
  return better === quality ? first : encodeWhole(better)
}

type TriedParts = TriedQualities & { readonly isWhole: boolean }

/** What becomes of the parts at a quality; none is encoded twice. */
function tryParts(original: RgbPicture, { format, settings, beforeEach }: LookSearch): TriedParts {
  const parts = partsOf(original, PARTS_TO_TRY)
  const { pixels, width, height } = parts.of(original)
  const score = createScorer({ pixels, width, height })
  const known = new Map<number, Promise<Outcome>>()
  const stepOf = (quality: number) => (hasQuality(format) ? encoderValue(format, quality) : quality)
  const encode = async (quality: number): Promise<Outcome> => {
    beforeEach()
    const image = sharp(pixels, { raw: { width, height, channels: 3 } })
    const { bytes } = await encodePicture(image, format, { ...settings, quality })
    return { score: score(await asSeen(await openEncoded(bytes, format))), bytes: bytes.length }
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

function partsOf(original: RgbPicture, size: PartSize) {
  const areas = chooseParts(original, size)
  return { isWhole: areas === undefined, of: (picture: RgbPicture) => joinParts(picture, areas, size) }
}

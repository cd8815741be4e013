/** Finds the quality at which an image reaches a target score, with few encodings. */
import { SAME_QUALITY } from '../../shared/quality/quality.ts'
import { likelyQuality } from './quality-scale.ts'

export type Outcome = { readonly score: number; readonly bytes: number }

export type TriedQualities = {
  readonly tryAt: (quality: number) => Promise<Outcome>
  /** Maps a quality to an encoder setting. Encoders have coarser steps than the search, so one encoding per step is enough. */
  readonly stepOf: (quality: number) => number
}

const MOST_TRIES = 12
const STEPS_ABOVE_COARSEST = 3

/**
 * Returns the tolerated distance from the target. The distance grows with the number of attempts, because a small gain isn't worth many
 * attempts.
 */
const enoughAfter = (tries: number): number => (tries < 6 ? 0.5 : tries < 9 ? 1 : SAME_QUALITY)

const QUALITIES = Array.from({ length: 397 }, (_, index) => 1 + index / 4)

type Tried = Outcome & { readonly quality: number }

/** Searches for the quality whose result scores closest to the wanted score. Returns the quality of the best attempt. */
export async function qualityFor(
  wanted: number,
  { tryAt, stepOf }: TriedQualities,
  start: number,
): Promise<number> {
  const untried = new Set(QUALITIES)
  const tries: Tried[] = []
  let next = nearestTo(start, QUALITIES)
  while (next !== undefined && tries.length < MOST_TRIES) {
    const quality = next
    tries.push({ quality, ...(await tryAt(quality)) })
    const enough = enoughAfter(tries.length)
    if (tries.some(({ score }) => Math.abs(score - wanted) <= enough)) break
    for (const other of QUALITIES) if (stepOf(other) === stepOf(quality)) untried.delete(other)
    next = nextQuality(tries, wanted, untried)
  }
  return bestOf(tries, wanted)?.quality ?? start
}

/**
 * Returns the attempt nearest to the target if it counts as the same visual quality. Soft or plain images may not have such an attempt,
 * because even the coarsest setting scores higher or one step skips the target. In that case, returns the smallest of the attempts that
 * score higher. If none does, returns the attempt with the highest score.
 */
function bestOf(tries: readonly Tried[], wanted: number): Tried | undefined {
  const [nearest] = tries.toSorted(
    (one, other) => Math.abs(one.score - wanted) - Math.abs(other.score - wanted),
  )
  if (nearest === undefined || Math.abs(nearest.score - wanted) <= SAME_QUALITY) return nearest
  const [smallest] = tries
    .filter(({ score }) => score > wanted)
    .toSorted((one, other) => one.bytes - other.bytes)
  return smallest ?? nearest
}

/**
 * Returns a quality between the two attempts on either side of the target. If every step between them was tried, returns a quality near
 * them, because a step can score lower than the step below it. If all attempts are on one side, goes beyond them. Returns undefined if the
 * search should end.
 */
function nextQuality(
  tries: readonly Tried[],
  wanted: number,
  untried: ReadonlySet<number>,
): number | undefined {
  const byQuality = tries.toSorted((one, other) => one.quality - other.quality)
  let around: number | undefined
  for (const [index, below] of byQuality.entries()) {
    const above = byQuality[index + 1]
    if (above === undefined || below.score > wanted || above.score <= wanted) continue
    const share = Math.max(0.1, Math.min(0.9, (wanted - below.score) / (above.score - below.score)))
    const guess = below.quality + share * (above.quality - below.quality)
    const between = [...untried].filter((quality) => quality > below.quality && quality < above.quality)
    if (between.length > 0) return nearestTo(guess, between)
    around ??= guess
  }
  return around === undefined ? beyond(byQuality, wanted, untried) : nearestTo(around, [...untried])
}

/**
 * Returns the next quality if all attempts scored too low or all too high.
 * Changes the quality by as much as a typical photo would need.
 */
function beyond(
  byQuality: readonly Tried[],
  wanted: number,
  untried: ReadonlySet<number>,
): number | undefined {
  const [lowest, highest] = [byQuality[0], byQuality.at(-1)]
  if (lowest === undefined || highest === undefined) return undefined
  const isUp = highest.score < wanted
  const { quality: edge, score } = isUp ? highest : lowest
  const shift = Math.abs(likelyQuality(wanted) - likelyQuality(score))
  const left = isUp ? 100 - edge : edge - 1
  // After three attempts, cross at least half of the remaining range, because some scores hardly change with quality.
  const step = Math.max(shift, byQuality.length < 3 ? 0 : left / 2)
  const guess = isUp ? edge + step : edge - step
  const further = [...untried].filter((quality) => (isUp ? quality > edge : quality < edge))
  return isUp || further.length > 0 ? nearestTo(guess, further) : aboveCoarsest(byQuality, untried)
}

/**
 * Returns a step near the coarsest if even the coarsest scores too high.
 * With soft gradients in JPEG XL, a slightly higher step can score lower.
 */
function aboveCoarsest(byQuality: readonly Tried[], untried: ReadonlySet<number>): number | undefined {
  const finer = Math.min(...untried)
  const climbed = byQuality.filter(({ quality }) => quality < finer).length
  return climbed > STEPS_ABOVE_COARSEST || finer === Infinity ? undefined : finer
}

const nearestTo = (wanted: number, qualities: readonly number[]): number | undefined =>
  qualities.reduce<number | undefined>(
    (best, quality) =>
      best !== undefined && Math.abs(best - wanted) <= Math.abs(quality - wanted) ? best : quality,
    undefined,
  )

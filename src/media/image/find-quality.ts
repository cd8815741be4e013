/** The quality at which a picture scores what is wanted, found with few tries of its encoder. */
import { type Points, valueAt } from './quality-scale.ts'

/** What an encoder made of the picture. */
export type Outcome = { readonly score: number; readonly bytes: number }

export type TriedQualities = {
  readonly tryAt: (quality: number) => Promise<Outcome>
  /** Encoders have coarser steps than the search: what is in the same one need not be tried twice. */
  readonly stepOf: (quality: number) => number
}

/** Within so many points it is the same look. */
export const SAME_LOOK = 2
const MOST_TRIES = 12
const STEPS_ABOVE_COARSEST = 3

/** How near is near enough: the last half of a point is worth a few tries, the last two are worth many. */
const enoughAfter = (tries: number): number => (tries < 6 ? 0.5 : tries < 9 ? 1 : SAME_LOOK)

const QUALITIES = Array.from({ length: 397 }, (_, index) => 1 + index / 4)

type Tried = Outcome & { readonly quality: number }

/** @returns the quality of the try that serves best */
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
 * The nearest one where that is the same look. Soft and plain pictures may have no such quality: even the coarsest looks better,
 * or one step jumps over the look. Then it is the smallest of those that look better, else the one that looks best.
 */
function bestOf(tries: readonly Tried[], wanted: number): Tried | undefined {
  const [nearest] = tries.toSorted(
    (one, other) => Math.abs(one.score - wanted) - Math.abs(other.score - wanted),
  )
  if (nearest === undefined || Math.abs(nearest.score - wanted) <= SAME_LOOK) return nearest
  const [smallest] = tries
    .filter(({ score }) => score > wanted)
    .toSorted((one, other) => one.bytes - other.bytes)
  return smallest ?? nearest
}

/**
 * Between two neighbours on both sides of what is wanted; around them where no step is left between, because a step may look worse
 * than the one before it.
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

/** Where all tries were worse, or all better: this photo is harder or easier than most by so many points. */
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
  // After three tries the rest is halved, for scores that hardly change with quality.
  const step = Math.max(shift, byQuality.length < 3 ? 0 : left / 2)
  const guess = isUp ? edge + step : edge - step
  const further = [...untried].filter((quality) => (isUp ? quality > edge : quality < edge))
  return isUp || further.length > 0 ? nearestTo(guess, further) : aboveCoarsest(byQuality, untried)
}

/** Where even the coarsest step looks better, one of the next may look worse: soft gradients do so in JPEG XL. */
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

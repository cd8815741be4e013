import { sumOf } from '../sum.ts'

/**
 * How similar a result looks to its original, on one scale for photos and videos. 100 means identical. The original is compared at the
 * result's dimensions, crop and rotation, so that only the encoding counts.
 */
export type Quality = 'lossless' | Score

export type Score = {
  /** 0 to 100. */
  readonly score: number
  /** Whether only parts of the photo, or some frames of the video, were compared. */
  readonly isSampled: boolean
  /** Set if the original was kept because the score is below this limit of the preset. */
  readonly below?: number | undefined
}

/** The lowest score of each band. */
const BANDS = [
  [90, 'same'],
  [80, 'zoomed'],
  [65, 'sideBySide'],
  [45, 'softer'],
] as const

export type QualityBand = (typeof BANDS)[number][1] | 'draft'

/** Returns what a score means: `same` is the best band, `draft` the worst. */
export const bandOf = (score: number): QualityBand => BANDS.find(([from]) => score >= from)?.[1] ?? 'draft'

/** Maximum difference between scores that count as the same visual quality. */
export const SAME_QUALITY = 2

/** The lowest quality that a preset can ask for. */
export const LEAST_LOOK = 30

/**
 * One score for each band, best first. Each is a fifth of the band above its start, so that a result that misses the score slightly is
 * still in the band.
 */
const TYPICAL = [...BANDS.map(([from]) => from), 0].map((from, index, all) =>
  Math.max(LEAST_LOOK, Math.round(from + ((all[index - 1] ?? 100) - from) / 5)),
)

/**
 * Returns three scores to compare, lowest first: the given score, and typical scores of the bands around it. At an end of the scale, both
 * typical scores are on the same side.
 */
export function scoresAround(score: number): readonly number[] {
  const own = BANDS.findIndex(([from]) => score >= from)
  const band = own < 0 ? BANDS.length : own
  const first = Math.min(Math.max(0, band - 1), TYPICAL.length - 3)
  return TYPICAL.slice(first, first + 3)
    .map((typical, index) => (first + index === band ? score : typical))
    .toReversed()
}

/** Rounds a score and limits it to the scale, because very different images score below 0. */
export const wholeScore = (score: number): number => Math.round(Math.min(100, Math.max(0, score)))

/** Whether the result has a score. Lossless results and kept originals have none. */
export const isScore = (quality: Quality | undefined): quality is Score =>
  typeof quality === 'object' && quality.below === undefined

export const scoresOf = (results: readonly { readonly quality?: Quality | undefined }[]): readonly number[] =>
  results.flatMap(({ quality }) => (isScore(quality) ? [quality.score] : []))

/** Returns the average score and the number of results that it covers; undefined if nothing was measured. */
export function averageOf(results: Parameters<typeof scoresOf>[0]) {
  const scores = scoresOf(results)
  if (scores.length === 0) return undefined
  return { score: Math.round(sumOf(scores) / scores.length), measured: scores.length }
}

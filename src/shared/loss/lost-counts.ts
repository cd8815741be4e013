/** Counts results by what they lost, so that a list can omit losses that the user has marked as fine. */
import type { Loss, LossCode } from './loss.ts'

/** At least one entry. No two entries have the same codes. */
export type LostCounts = readonly {
  readonly codes: readonly LossCode[]
  /** Number of results that lost exactly this. */
  readonly results: number
}[]

/** Counts the results that lost something, by what they lost. @returns undefined if nothing was lost */
export const countLost = (
  results: readonly { readonly losses?: readonly Loss[] | undefined }[],
): LostCounts | undefined =>
  merged(
    results.map(({ losses = [] }) => ({
      codes: [...new Set(losses.map(({ code }) => code))].toSorted(),
      results: 1,
    })),
  )

/** Adds the counts of a job's parts; undefined if nothing was lost. */
export const addLost = (parts: readonly (LostCounts | undefined)[]): LostCounts | undefined =>
  merged(parts.flatMap((counts) => counts ?? []))

function merged(counts: LostCounts): LostCounts | undefined {
  const lost = counts.filter(({ codes }) => codes.length > 0)
  if (lost.length === 0) return undefined
  return [...Map.groupBy(lost, ({ codes }) => codes.join(' ')).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, results: others.reduce((sum, { results }) => sum + results, first.results) }],
  )
}

/** Returns what was lost, each kind once, except the `fine` losses. */
export const lostCodes = (counts: LostCounts | undefined, fine: readonly LossCode[]): readonly LossCode[] => [
  ...new Set((counts ?? []).flatMap(({ codes }) => codes.filter((code) => !fine.includes(code)))),
]

/**
 * Returns the number of results that lost something.
 * @param fine losses that don't count
 */
export const lostResults = (counts: LostCounts | undefined, fine: readonly LossCode[]): number =>
  (counts ?? [])
    .filter(({ codes }) => codes.some((code) => !fine.includes(code)))
    .reduce((sum, { results }) => sum + results, 0)

/** Finds what a result lost: each difference between two inventories that the recipe doesn't ask for. */
import type { Loss } from '../../shared/loss/loss.ts'
import type { AskedFor, Comparison } from './comparison.ts'

/** @param comparisons the table for photos or for videos. Loading the other table would take as long as processing a photo. */
export const compareInventories = <I, R>(
  comparisons: readonly Comparison<I, R>[],
  before: I,
  after: I,
  asked: AskedFor<R>,
): readonly Loss[] =>
  comparisons
    .filter((one) => one.isAskedFor?.(asked, before) !== true)
    .flatMap((one) => one.find(before, after, asked))

/**
 * Merges the losses that the conversion noticed with those that the comparison found. The conversion knows why something is missing, so its
 * loss is kept if both report the same loss.
 */
export function mergeLosses(noticed: readonly Loss[], found: readonly Loss[]): readonly Loss[] {
  const known = new Set(noticed.map(identityOf))
  return [...noticed, ...found.filter((loss) => !known.has(identityOf(loss)))]
}

const identityOf = ({ code, values }: Loss): string => ('track' in values ? `${code} ${values.track}` : code)

import { sumOf } from '../../shared/sum.ts'
import type { EstimateRange } from '../../shared/model/estimate.ts'

const ZERO: EstimateRange = { low: 0, likely: 0, high: 0 }
/** Maximum ratio of a range's upper bound to its lower bound. A wider range is useless. */
const MAX_RATIO = 4

export const isTooWide = ({ low, high }: EstimateRange): boolean => high > low * MAX_RATIO

export function scaleRange(expected: EstimateRange = ZERO, factor: number, most = Infinity): EstimateRange {
  const times = (value: number) => Math.min(most, value * factor)
  return { low: times(expected.low), likely: times(expected.likely), high: times(expected.high) }
}

/** Adds ranges, assuming that their errors are independent of each other. */
export function addRanges(parts: readonly EstimateRange[]): EstimateRange {
  const likely = sumOf(parts.map((part) => part.likely))
  const distance = (side: (part: EstimateRange) => number) =>
    Math.sqrt(sumOf(parts.map((part) => side(part) ** 2)))
  return {
    low: likely - distance((part) => part.likely - part.low),
    likely,
    high: likely + distance((part) => part.high - part.likely),
  }
}

/**
 * Widens a range by an uncertainty.
 * @param share additional, independent uncertainty, as a fraction
 */
export function widenRange(expected: EstimateRange, share: number): EstimateRange {
  const uncertainty = expected.likely * share
  return addRanges([expected, { low: -uncertainty, likely: 0, high: uncertainty }])
}

export const roundRange = ({ low, likely, high }: EstimateRange): EstimateRange => ({
  low: Math.round(low),
  likely: Math.round(likely),
  high: Math.round(high),
})

/** @returns null if a number is unknown */
export const sumIfAll = (numbers: readonly (number | null | undefined)[]): number | null =>
  numbers.every((one): one is number => typeof one === 'number') ? sumOf(numbers) : null

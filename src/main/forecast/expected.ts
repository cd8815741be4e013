/** What can be done with ranges. */
import type { Expected } from '../../shared/model/forecast.ts'

const NOTHING: Expected = { low: 0, likely: 0, high: 0 }
/** A range from one to more than four says nothing. */
const WIDEST = 4

export const isTooWide = ({ low, high }: Expected): boolean => high > low * WIDEST

export function scaled(expected: Expected = NOTHING, factor: number, most = Infinity): Expected {
  const times = (value: number) => Math.min(most, value * factor)
  return { low: times(expected.low), likely: times(expected.likely), high: times(expected.high) }
}

/** Photos and videos err independently of each other. */
export function together(parts: readonly Expected[]): Expected {
  const likely = sumOf(parts.map((part) => part.likely))
  const distance = (side: (part: Expected) => number) =>
    Math.sqrt(sumOf(parts.map((part) => side(part) ** 2)))
  return {
    low: likely - distance((part) => part.likely - part.low),
    likely,
    high: likely + distance((part) => part.high - part.likely),
  }
}

/** @param share by which it may be off for reasons of its own */
export function doubted(expected: Expected, share: number): Expected {
  const doubt = expected.likely * share
  return together([expected, { low: -doubt, likely: 0, high: doubt }])
}

export const rounded = ({ low, likely, high }: Expected): Expected => ({
  low: Math.round(low),
  likely: Math.round(likely),
  high: Math.round(high),
})

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

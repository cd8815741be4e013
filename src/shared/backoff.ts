/** Exponential backoff with jitter, so that clients don't poll an unavailable service constantly. */

export type Backoff = {
  /** Delay after the first failure, in ms. It doubles after each further failure. */
  readonly first: number
  /** Maximum delay, in ms. */
  readonly longest: number
}

/** Maximum number of doublings. 2^30 exceeds every `longest`; unlimited doubling would reach Infinity after a thousand failures. */
const MOST_DOUBLINGS = 30

/**
 * Returns the delay before the next attempt in ms. Jitter subtracts up to half of the delay, so that clients of a recovered service
 * don't all retry at the same time.
 * @param failures number of consecutive failures, from 1
 * @param random 0..1
 */
export function backoffDelay({ first, longest }: Backoff, failures: number, random: () => number): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, MOST_DOUBLINGS)
  const whole = Math.min(longest, first * 2 ** doublings)
  return whole / 2 + (whole / 2) * random()
}

/** Waiting longer after each failure, so that a service that is down is not asked without end. Pure. */

export type Backoff = {
  /** ms after the first failure; doubled with each further one. */
  readonly first: number
  /** ms that no wait exceeds. */
  readonly longest: number
}

/** 2 to this power is beyond every `longest`; without an end the product would become Infinity after a thousand failures. */
const MOST_DOUBLINGS = 30

/**
 * ms to wait before the next try. Chance takes up to half of it away, so that several clients of a service that is back do
 * not all ask at once.
 *
 * @param failures in a row, from 1
 * @param random 0..1
 */
export function backoffDelay({ first, longest }: Backoff, failures: number, random: () => number): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, MOST_DOUBLINGS)
  const whole = Math.min(longest, first * 2 ** doublings)
  return whole / 2 + (whole / 2) * random()
}

const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/**
 * How long to wait before the nth try in a row (from 0), in ms: doubling up to a minute, with up to a quarter more by
 * chance so that several clients do not come back together.
 *
 * @param random 0..1
 */
export const retryDelay = (n: number, random: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(n, 10)) * (1 + random / 4)

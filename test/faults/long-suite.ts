import { it, type TestContext } from 'vitest'

/** Whether this is the long suite, `npm run test:faults`, which plays many more rounds. */
export const isLongSuite = process.env['MEDIATRAY_LONG_FAULTS'] === '1'

/**
 * Returns the seeds of a test's rounds. `MEDIATRAY_ROUNDS` is their number, and `MEDIATRAY_FIRST_ROUND` the first of them, which repeats
 * a round that has failed.
 */
export function roundsOf(inLongSuite: number, inShortSuite: number): readonly number[] {
  const { MEDIATRAY_ROUNDS: given, MEDIATRAY_FIRST_ROUND: first = '1' } = process.env
  const count = Number(given ?? (isLongSuite ? inLongSuite : inShortSuite))
  return Array.from({ length: count }, (_, n) => Number(first) + n)
}

/** Defines a test of the long suite: a variation of one that `npm test` runs too. */
export function itInLongSuite(name: string, run: (context: TestContext) => Promise<void>): void {
  if (isLongSuite) it(name, run)
}

/** Returns all variations in the long suite, and only the first ones in `npm test`. */
export const firstOf = <T>(variations: readonly T[], count = 1): readonly T[] =>
  isLongSuite ? variations : variations.slice(0, count)

import { describe, it } from 'vitest'

/** Whether this is the long suite, `npm run test:faults`, which plays many more rounds. */
export const isLongSuite = process.env['MEDIATRAY_LONG_FAULTS'] === '1'

/** Accepts any call that would define tests, such as `ignoring.each([1, 2])('name', run)`, and does nothing. */
const ignoring = new Proxy((): unknown => ignoring, { get: () => ignoring }) as never

/**
 * Returns the seeds of a test's rounds. `MEDIATRAY_ROUNDS` is their number, and `MEDIATRAY_FIRST_ROUND` the first of them, which repeats
 * a round that has failed.
 */
export function roundsOf(inLongSuite: number, inShortSuite: number): readonly number[] {
  const { MEDIATRAY_ROUNDS: given, MEDIATRAY_FIRST_ROUND: first = '1' } = process.env
  const count = Number(given ?? (isLongSuite ? inLongSuite : inShortSuite))
  return Array.from({ length: count }, (_, n) => Number(first) + n)
}

/** Returns an API that defines tests, such as `it` or `describe`, or one that defines nothing and counts nothing as skipped. */
export const definedIf = <Api extends object>(isRun: boolean, api: Api): Api => (isRun ? api : ignoring)

/** Defines tests of the long suite only: variations of what `npm test` runs too, and rare cases. */
export const inLongSuite = <Api extends object>(api: Api): Api => definedIf(isLongSuite, api)
export const itInLongSuite = inLongSuite(it)
export const describeInLongSuite = inLongSuite(describe)

/** Returns all variations in the long suite, and only the first ones in `npm test`. */
export const firstOf = <T>(variations: readonly T[], count = 1): readonly T[] =>
  isLongSuite ? variations : variations.slice(0, count)

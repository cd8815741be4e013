import { it } from 'vitest'

/** Whether this is the long suite, `npm run test:faults`, which plays many more rounds. */
export const isLongSuite = process.env['MEDIATRAY_LONG_FAULTS'] === '1'

/** Defines a test of the long suite: a variation of one that `npm test` runs too. */
export function itInLongSuite(name: string, run: () => Promise<void>): void {
  if (isLongSuite) it(name, run)
}

import { describe, test, type TestContext } from 'vitest'
import { isLongSuite } from '../../faults/long-suite.ts'
import { onRealElectron } from '../app.ts'

/** Whether variations run too: in `npm run test:faults`, and on real Electron, where every start may differ from the stand-in. */
export const isLongRun = isLongSuite || onRealElectron()

/** Defines a variation of an end-to-end test that `npm test` runs. */
export function testInLongSuite(name: string, run: (context: TestContext) => Promise<void>): void {
  if (isLongRun) test(name, run)
}

/** Defines a group of such tests. */
export function describeInLongSuite(name: string, define: () => void): void {
  if (isLongRun) describe(name, define)
}

/** The first value in `npm test`, all in the long suite. */
export const sampled = <T>(values: readonly T[]): readonly T[] => (isLongRun ? values : values.slice(0, 1))

import { describe, test } from 'vitest'
import { definedIf, isLongSuite } from '../../faults/long-suite.ts'
import { onRealElectron } from '../app.ts'

/** Whether variations run too: in `npm run test:faults`, and on real Electron, where every start may differ from the stand-in. */
export const isLongRun = isLongSuite || onRealElectron()

/** Defines variations of end-to-end tests that `npm test` runs, and rare cases. */
export const testInLongSuite = definedIf(isLongRun, test)
export const describeInLongSuite = definedIf(isLongRun, describe)

/** The first value in `npm test`, all in the long suite. */
export const sampled = <T>(values: readonly T[]): readonly T[] => (isLongRun ? values : values.slice(0, 1))

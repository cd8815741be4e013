import { expect, it } from 'vitest'
import { controlFaults } from '../harness/accessibility-tree.ts'
import { fixtures } from '../harness/fixtures.ts'
import { openState } from '../harness/open-state.ts'
import { isLongSuite } from '../../faults/long-suite.ts'

/** `npm test` checks one state of thirty. */
const STATES = Object.keys(fixtures).filter((_, index) => isLongSuite || index % 30 === 0)

/** Checks what Chromium tells a screen reader about every control. */
export function checkAccessibilityTree(): void {
  it.each(STATES)('every control in %s has a name and its state', async (name) => {
    expect(await controlFaults(await openState(name))).toEqual([])
  })
}

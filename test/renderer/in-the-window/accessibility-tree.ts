import { expect, it } from 'vitest'
import { controlFaults } from '../harness/accessibility-tree.ts'
import { fixtures } from '../harness/fixtures.ts'
import { moving } from '../harness/moving.ts'
import { openState } from '../harness/open-state.ts'
import { isLongSuite } from '../../faults/long-suite.ts'

/** `npm test` checks one state of sixty. */
const STATES = Object.keys(fixtures).filter((_, index) => isLongSuite || index % 60 === 0)

/** Checks what Chromium tells a screen reader about every control, and on the same page that nothing moves. */
export function checkAccessibilityTree(): void {
  it.each(STATES)(
    'every control in %s has a name and its state, and nothing moves with reduced motion',
    async (name) => {
      const page = await openState(name)
      expect(await controlFaults(page)).toEqual([])
      expect(await moving(page)).toEqual([])
    },
  )
}

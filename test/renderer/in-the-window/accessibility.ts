import { expect, it } from 'vitest'
import { isLongSuite } from '../../faults/long-suite.ts'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { fixtures } from '../harness/fixtures.ts'
import { openState, NARROW, WIDE } from '../harness/open-state.ts'
import { overhanging } from '../harness/overhanging.ts'

/** Every state in both sizes, alternately light and dark. `npm test` checks a sample; `shots.ts --axe` checks all color schemes. */
const SHOWN = Object.keys(fixtures)
  .flatMap((name, index) => [
    [name, WIDE, index % 2 === 0 ? 'light' : 'dark'] as const,
    [name, NARROW, index % 2 === 0 ? 'dark' : 'light'] as const,
  ])
  .filter((_, index) => isLongSuite || index % 49 === 0)

export function checkAccessibility(): void {
  it.each(SHOWN)('finds nothing in %s, and nothing overflows a narrow window', async (name, size, look) => {
    const page = await openState(name, size, look)
    expect(await findWithAxe(page)).toEqual([])
    if (size === NARROW) expect(await overhanging(page)).toEqual([])
  })
}

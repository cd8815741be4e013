import { expect, it } from 'vitest'
import { isLongSuite } from '../../faults/long-suite.ts'
import { isCutOff } from '../harness/cut-off.ts'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { fixture } from '../harness/fixtures.ts'
import { settled } from '../harness/go-to.ts'
import { change, NARROW, openState, resize, WIDE } from '../harness/open-state.ts'
import type { Look, Size } from '../harness/open-window.ts'

/** `npm test` checks one state of six. */
export const sampled = <T>(states: readonly T[]): readonly T[] =>
  states.filter((_, index) => isLongSuite || index % 6 === 0)

/** Checks states of the window with axe, and whether their German texts fit into windows of both sizes. */
export function checkStates(states: readonly (readonly [name: string, size: Size, look: Look])[]): void {
  it.each(sampled(states))(
    '%s has no axe findings and no cut-off text in German, %o, %s',
    async (name, size, look) => {
      const page = await openState(name, size, look)
      expect(await findWithAxe(page)).toEqual([])
      const { settings } = fixture(name).script.state
      await change(page, { settings: { ...settings, language: 'de' } })
      await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de')
      expect(await isCutOff(page)).toEqual([])
      await resize(size === WIDE ? NARROW : WIDE)
      await settled(page)
      expect(await isCutOff(page)).toEqual([])
    },
  )
}

import { expect, it } from 'vitest'
import { isLongSuite } from '../../faults/long-suite.ts'
import { isCutOff } from '../harness/cut-off.ts'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo, settled } from '../harness/go-to.ts'
import { change, NARROW, openScript, resize, WIDE } from '../harness/open-state.ts'
import { overhanging } from '../harness/overhanging.ts'
import { LONGER, MIRRORED } from '../harness/pseudo-languages.ts'
import type { Look, Size } from '../harness/open-window.ts'
import { MINIMUM_SIZE } from '../../../src/main/desktop/windows/window-bounds.ts'

/** `npm test` checks one state of six. */
export const sampled = <T>(states: readonly T[]): readonly T[] =>
  states.filter((_, index) => isLongSuite || index % 6 === 0)

/** Checks states of the window with axe, and whether their German texts fit into windows of all sizes. */
export function checkStates(states: readonly (readonly [name: string, size: Size, look: Look])[]): void {
  it.each(sampled(states))(
    '%s has no axe findings and no cut-off text in German, in a longer language and from right to left, %o, %s',
    async (name, size, look) => {
      const { script } = fixture(name)
      const languages = [...script.facts.languages, LONGER, MIRRORED]
      const page = await openScript({ ...script, facts: { ...script.facts, languages } }, size, look)
      await goTo(page, fixture(name))
      expect(await findWithAxe(page)).toEqual([])
      const { settings } = script.state
      let shown = size
      for (const language of [LONGER, MIRRORED, 'de']) {
        await change(page, { settings: { ...settings, language } })
        await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(language)
        await settled(page)
        expect(await isCutOff(page), language).toEqual([])
        shown = shown === WIDE ? NARROW : WIDE
        await resize(shown)
        await settled(page)
        expect(await isCutOff(page), language).toEqual([])
      }
      await resize(MINIMUM_SIZE)
      await settled(page)
      expect([...(await isCutOff(page)), ...(await overhanging(page))]).toEqual([])
    },
  )
}

import { expect, it } from 'vitest'
import { MINIMUM_SIZE } from '../../../src/main/desktop/windows/window-bounds.ts'
import { languages } from '../../../src/node/translation.ts'
import { isLongSuite } from '../../faults/long-suite.ts'
import { isCutOff } from '../harness/cut-off.ts'
import { fixtures } from '../harness/fixtures.ts'
import { goTo, settled } from '../harness/go-to.ts'
import { change, NARROW, openScript, resize, WIDE } from '../harness/open-state.ts'
import type { Size } from '../harness/open-window.ts'
import { overhanging } from '../harness/overhanging.ts'
import { LONGER, MIRRORED } from '../harness/pseudo-languages.ts'

// An open menu keeps its language and its place. Steps to German states search for German texts.
const STATES = Object.entries(fixtures).filter(
  ([name]) => !/menu|cancel|filter|picker|german|parts-replacing/.test(name),
)

/** Every state in every other language. `npm test` checks a few. */
const TRANSLATED = languages()
  .filter((language) => language !== 'en' && language !== 'de')
  .flatMap((language) => STATES.map(([name, fixture]) => [name, language, fixture] as const))
  .filter((_, index) => isLongSuite || index % 503 === 0)

export function checkLanguages(): void {
  it.each(STATES.filter((_, index) => isLongSuite || index % 40 === 0))(
    '%s fits in a longer language, from right to left and in German, also in the smallest window',
    async (_name, fixture) => {
      const { facts, state } = fixture.script
      const languages = [...facts.languages, LONGER, MIRRORED]
      const page = await openScript({ ...fixture.script, facts: { ...facts, languages } })
      const expectFit = async (language: string, size: Size) => {
        await resize(size)
        await settled(page)
        expect([...(await isCutOff(page)), ...(await overhanging(page))], language).toEqual([])
      }
      await goTo(page, fixture)
      // Every other language begins with the size of the previous one, because resizing takes long.
      const sizes = [WIDE, NARROW]
      for (const language of [LONGER, MIRRORED, 'de']) {
        await change(page, { settings: { ...state.settings, language } })
        await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(language)
        for (const size of sizes) await expectFit(language, size)
        sizes.reverse()
      }
      await expectFit('de', MINIMUM_SIZE)
    },
  )

  it.each(TRANSLATED)('%s fits in %s', async (_name, language, fixture) => {
    const { facts, state } = fixture.script
    const page = await openScript({ ...fixture.script, facts: { ...facts, languages: languages() } })
    await goTo(page, fixture)
    await change(page, { settings: { ...state.settings, language } })
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(language)
    for (const size of [WIDE, NARROW]) {
      await resize(size)
      await settled(page)
      expect([...(await isCutOff(page)), ...(await overhanging(page))], `${size.width} px`).toEqual([])
    }
  })

  it('the window is mirrored for a language from right to left, and sizes keep their direction', async () => {
    const fixture = fixtures['details'] ?? expect.fail('The fixture is missing')
    const { facts, state } = fixture.script
    const languages = [...facts.languages, MIRRORED]
    const page = await openScript({ ...fixture.script, facts: { ...facts, languages } })
    await goTo(page, fixture)
    await change(page, { settings: { ...state.settings, language: MIRRORED } })
    await expect.poll(() => page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    const side = await page.locator('.sidebar').boundingBox()
    const stage = await page.locator('.job-pane').boundingBox()
    expect(side?.x).toBeGreaterThan(stage?.x ?? Number.POSITIVE_INFINITY)
    expect(await page.locator('bdi', { hasText: /\d/ }).first().textContent()).toMatch(/^\u2068.*\u2069$/)
    const copied = await page.evaluate(() => {
      const name = document.querySelector<HTMLElement>('.job-pane bdi') ?? document.body
      name.style.userSelect = 'text'
      getSelection()?.selectAllChildren(name)
      const clipboardData = new DataTransfer()
      document.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true }))
      return [String(getSelection()), clipboardData.getData('text/plain')]
    })
    expect(copied[0]).toMatch(/\u2068/)
    expect(copied[1]).toBe(copied[0]?.replaceAll(/[\u2068\u2069]/g, ''))
  })
}

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { languages } from '../../../src/node/translation.ts'
import { english } from '../../../src/shared/i18n/english.ts'
import { createSettingsTranslation } from '../../../src/shared/i18n/i18n.ts'
import { SETTING_INDEX } from '../../../src/renderer/settings/setting-index.ts'
import type { Script } from '../harness/fake-bridge.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo } from '../harness/go-to.ts'
import { change, focusedText, NARROW, openScript, openState } from '../harness/open-state.ts'
import { windowTranslation } from '../../window-translation.ts'

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search settings' })
const rows = (page: Page) => page.locator('.found-setting')
const title = (page: Page) => page.locator('.job-pane .pane-header h1').textContent()
const names = (page: Page) => rows(page).locator('.found-text > span:first-child').allInnerTexts()
const hasFocus = (page: Page, selector: string) =>
  page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+f')
  await field(page).fill(text)
}

const everythingOn = (name: string): Script => {
  const { script } = fixture(name)
  const { state } = fixture('settings-clipboard').script
  const { assistants } = fixture('settings-assistants').script.state.settings
  return { ...script, state: { ...script.state, settings: { ...state.settings, assistants } } }
}

/** Returns a word as a user may type it. */
const plain = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').replace('’', "'")

/** Settings by their name. `npm test` searches for every sixth. */
const SETTINGS = Object.entries(SETTING_INDEX).filter((_, index) => isLongSuite || index % 6 === 0)

/** The search over all settings. */
export function checkSettingsSearch(): void {
  it('finds settings by their names, and opens their pages with the focus on the control', async () => {
    const t = createSettingsTranslation(english, windowTranslation('en'))
    const opened = new Set<string>()
    for (const name of ['settings-service-external', 'settings-service']) {
      const page = await openScript(everythingOn(name))
      await goTo(page, fixture('settings-general'))
      for (const [key, entry] of SETTINGS) {
        if (opened.has(key)) continue
        const [label] = entry.texts(t)
        await search(page, label)
        await expect
          .poll(() => page.getByRole('status').allTextContents())
          .toContainEqual(expect.stringContaining(`“${label}”`))
        const at = (await names(page)).indexOf(label)
        if (at === -1) continue
        await rows(page).nth(at).click()
        await expect.poll(() => hasFocus(page, entry.control), { message: key }).toBe(true)
        opened.add(key)
      }
    }
    expect(SETTINGS.filter(([key]) => !opened.has(key))).toEqual([])
  }, 120_000)

  itInLongSuite('finds words that are typed without accents, and highlights them', async () => {
    for (const [language, word] of [
      ['fr', 'l’ouverture'],
      ['es', 'sesión'],
      ['pl', 'Język'],
      ['en', 'between…'],
      ['tr', 'Geçmiş'],
      ['pt-BR', 'Histórico'],
    ] as const) {
      const { script } = fixture('settings-general')
      const { facts, state } = script
      const settings = { ...state.settings, language }
      const page = await openScript({
        ...script,
        facts: { ...facts, languages: languages() },
        state: { ...state, settings },
      })
      await page.keyboard.press('Control+,')
      await page.locator('#settings-search').fill(plain(word))
      const marked = () => rows(page).locator('mark').allInnerTexts()
      await expect.poll(marked, { message: word }).toContain(word)
    }
    const page = await openState('settings-general')
    const { settings } = fixture('settings-general').script.state
    await change(page, { settings: { ...settings, language: 'en', globalShortcut: 'Control+ｱ' } })
    await search(page, 'ア')
    await expect.poll(() => rows(page).count()).toBe(1)
  })

  it('lists names first, then values and explanations, then everyday words, and counts them for each page', async () => {
    const page = await openState('settings-search')
    expect(await names(page)).toEqual([
      'A job is done',
      'Files already done',
      'When all jobs are done',
      'Run if the job',
      'Keep the computer awake while jobs run',
    ])
    expect(await rows(page).locator('mark').allInnerTexts()).toEqual(['done', 'done', 'done'])
    expect(await rows(page).nth(4).locator('.hint').allInnerTexts()).toEqual([
      'Automation, found by “until done”',
      'Off',
    ])
    expect(await page.locator('.settings-hits').allInnerTexts()).toEqual([
      expect.stringMatching(/^1/),
      expect.stringMatching(/^1/),
      expect.stringMatching(/^3/),
    ])
    expect(await page.getByRole('status').allTextContents()).toContain('5 settings match “done”')
    await field(page).fill('pictures web')
    await expect.poll(() => names(page)).toEqual(['Save to'])
    await field(page).fill('DARK mode')
    await expect.poll(() => names(page)).toEqual(['Appearance'])
  })

  it('opens a result with ↓ and Enter, returns to the field with ↑, and clears it with Esc', async () => {
    const page = await openState('settings-search')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedText(page)).toContain('A job is done')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => hasFocus(page, '#settings-search')).toBe(true)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page, '#notify-done')).toBe(true)
    expect([await title(page), await field(page).inputValue()]).toEqual(['Notifications', ''])
    await search(page, 'clipboard')
    await page.keyboard.press('Escape')
    await expect.poll(() => field(page).inputValue()).toBe('')
    expect(await title(page)).toBe('Notifications')
    await page.keyboard.press('Escape')
    await expect.poll(() => title(page)).toBe('General')
  })

  itInLongSuite('explains that nothing matches, and leads to the presets', async () => {
    const page = await openState('settings-search-none')
    expect(await title(page)).toBe('Nothing matches “watermark”')
    await page.getByRole('button', { name: 'Show presets' }).click()
    await expect.poll(() => title(page)).toBe('Presets')
  })

  itInLongSuite(
    'replaces the list of pages in a narrow window, and searches in the chosen language',
    async () => {
      const page = await openState('settings-search', NARROW)
      expect(await page.locator('.settings-nav').count()).toBe(0)
      const { settings } = fixture('settings-search').script.state
      await change(page, { settings: { ...settings, language: 'de' } })
      await page.locator('#settings-search').fill('design')
      await expect.poll(() => rows(page).count()).toBe(1)
      await page.keyboard.press('Enter')
      await expect.poll(() => hasFocus(page, '#appearance input')).toBe(true)
      expect(await page.locator('.sidebar').isVisible()).toBe(false)
    },
  )
}

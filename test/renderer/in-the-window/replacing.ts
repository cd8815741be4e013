import { expect, it } from 'vitest'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, NARROW, openScript, openState, WIDE } from '../harness/open-state.ts'
import { isCutOff } from '../harness/cut-off.ts'

/** Originals that are replaced by their results. */
export function checkReplacing(): void {
  checkChoice()
  it.each(STATES)(
    '%s has no axe findings and no cut-off text in German, %o, %s',
    async (name, size, look) => {
      const page = await openState(name, size, look)
      expect(await findWithAxe(page)).toEqual([])
      const { settings } = fixture(name).script.state
      await change(page, { settings: { ...settings, language: 'de' } })
      await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de')
      expect(await isCutOff(page)).toEqual([])
    },
  )
}

const STATES = [
  ['compose-replace', WIDE, 'dark'],
  ['compose-replace', NARROW, 'light'],
] as const

function checkChoice(): void {
  it('replaces the originals only if the user chooses that, and says once what happens', async () => {
    const page = await openState('compose-save-open')
    await page.keyboard.type('repl')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'draft.update')).toEqual([{ output: { kind: 'replace' } }])
    const field = page.getByRole('combobox', { name: 'Save to' })
    expect(await field.textContent()).toBe('Replace the originals')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    const note = page.locator('#replace-note')
    expect(await note.textContent()).toBe(
      '6 originals will be replaced by their results. Each one moves to the vault first, and you can undo for 30 days. ' +
        'An original stays if its result isn’t smaller. DSC_4821.heic becomes DSC_4821.jpg.',
    )
    expect(await field.getAttribute('aria-describedby')).toBe('replace-note')
    await expect
      .poll(() => page.locator('[aria-live="polite"]').allTextContents())
      .toContainEqual(expect.stringContaining('6 originals will be replaced by their results.'))
  })

  it('names the period for which the user can undo', async () => {
    const page = await openState('compose-replace')
    const { settings } = fixture('compose-replace').script.state
    await change(page, { settings: { ...settings, keepOriginalsDays: null } })
    await page.getByText('you can undo at any time').waitFor()
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page.getByRole('option', { name: 'Replace the originals' }).getByText('undo at any time').waitFor()
  })

  it.each([
    ['several presets', { presets: ['Web 2048', 'Mail'] }, 'needs a single preset'],
    ['variations', { variations: 4 }, 'not with variations'],
    ['a Drive folder', { source: { kind: 'drive', folderId: 'abc' } }, 'not for Drive'],
  ] as const)('explains why originals can’t be replaced with %s', async (_what, patch, reason) => {
    const page = await openState('compose-replace')
    const draft: Draft = { ...fixture('compose-replace').script.state.draft, ...patch }
    await change(page, { draft })
    await expect.poll(() => page.locator('#replace-note').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'Save to' }).click()
    const option = page.getByRole('option', { name: `Replace the originals, ${reason}` })
    expect(await option.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'draft.update')).toEqual([])
  })

  it('explains that originals can’t be replaced if files are uploaded', async () => {
    const { script } = fixture('compose-replace')
    const connection = { ...script.state.connection, seesFiles: false }
    const page = await openScript({ ...script, state: { ...script.state, connection } })
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page.getByRole('option', { name: 'Replace the originals, not when files are uploaded' }).waitFor()
  })
}

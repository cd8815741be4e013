import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { argumentsOf, change, openState } from '../harness/open-state.ts'
import { fixture } from '../harness/fixtures.ts'

/** What a new job starts with. */
export function checkNewJobSettings(): void {
  it('makes several presets the default of new jobs', async () => {
    const page = await openState('settings-jobs')
    await page.getByRole('combobox', { name: 'Start with' }).click()
    const option = page.getByRole('option', { name: /^Thumbnails 512/ })
    await option.hover()
    await option.locator('.combobox-checkbox').click()
    await expect
      .poll(() => argumentsOf(page, 'settings.update'))
      .toEqual([{ defaultPresets: ['Web 2048', 'Thumbnails 512'] }])
  })

  it('chooses between tasks and starred presets, only for the built-in service', async () => {
    const page = await openState('settings-jobs')
    const { settings } = fixture('empty-stars').script.state
    await change(page, { settings, connection: fixture('empty-stars').script.state.connection })
    await page.getByRole('radio', { name: 'Starred' }).check()
    await expect.poll(() => argumentsOf(page, 'settings.update')).toEqual([{ newJobChoices: 'starred' }])
    await change(page, { connection: fixture('compose').script.state.connection })
    await expect.poll(() => page.getByRole('radio', { name: 'Starred' }).count()).toBe(0)
  })

  itInLongSuite('offers the tasks of the built-in service for the clipboard', async () => {
    const page = await openState('settings-clipboard')
    await change(page, { connection: fixture('empty-stars').script.state.connection })
    await page.getByRole('combobox', { name: 'Preset', exact: true }).click()
    await page
      .getByRole('group', { name: 'Common tasks' })
      .getByRole('option', { name: 'For the web' })
      .click()
    await expect
      .poll(() => argumentsOf(page, 'settings.update'))
      .toEqual([{ clipboardPreset: 'For the web' }])
  })

  it('makes the folder of each original the default, and keeps a subfolder only if its name is valid', async () => {
    const page = await openState('settings-jobs')
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page.getByRole('option', { name: 'Next to each original' }).click()
    const saved = () => argumentsOf(page, 'settings.update')
    await expect.poll(saved).toEqual([{ defaultOriginals: { kind: 'beside', subfolder: null } }])
    const chosen = fixture('settings-jobs-beside').script.state.settings
    await change(page, { settings: chosen })
    const field = page.getByRole('textbox', { name: 'Subfolder (optional)' })
    await expect.poll(() => field.inputValue()).toBe('Web')
    await field.press('End')
    await field.press('/')
    await page.getByText('A name can’t contain /.').waitFor()
    expect([await field.inputValue(), await saved()]).toEqual(['Web/', [expect.anything()]])
    await field.press('Backspace')
    await expect
      .poll(async () => (await saved()).at(-1))
      .toEqual({ defaultOriginals: { kind: 'beside', subfolder: 'Web' } })
  })

  itInLongSuite(
    'describes what replacing as the default means, and offers it only with one preset',
    async () => {
      const page = await openState('settings-jobs')
      const { settings } = fixture('settings-jobs').script.state
      await change(page, { settings: { ...settings, defaultOriginals: { kind: 'replace' } } })
      await page.getByText('This also applies to files that start immediately.').waitFor()
      await change(page, { settings: fixture('settings-jobs-beside').script.state.settings })
      await page.getByRole('combobox', { name: 'Save to' }).click()
      const option = page.getByRole('option', { name: 'Replace the originals, needs a single preset' })
      expect(await option.getAttribute('aria-disabled')).toBe('true')
    },
  )

  it('takes the apps to ignore when the user leaves the field, only in automatic mode', async () => {
    const page = await openState('settings-clipboard')
    const field = page.getByRole('textbox', { name: 'Ignore images copied in these apps' })
    expect(await field.inputValue()).toBe('KeePassXC, Signal')
    await field.fill('KeePassXC,, signal,Signal.exe')
    expect(await argumentsOf(page, 'settings.update')).toEqual([])
    await field.press('Tab')
    await expect
      .poll(() => argumentsOf(page, 'settings.update'))
      .toEqual([{ clipboardIgnoredApps: ['KeePassXC', 'signal'] }])
    const { settings } = fixture('settings-clipboard').script.state
    await change(page, { settings: { ...settings, clipboardAutomatic: false } })
    await field.waitFor({ state: 'detached' })
  })

  itInLongSuite('says that xprop is missing, and lets the user only empty the list then', async () => {
    const page = await openState('settings-clipboard-no-xprop')
    await page.getByText('Requires xprop, which isn’t installed.').waitFor()
    const field = page.getByRole('textbox', { name: 'Ignore images copied in these apps' })
    expect(await field.isDisabled()).toBe(false)
    const { settings } = fixture('settings-clipboard').script.state
    await change(page, { settings: { ...settings, clipboardIgnoredApps: [] } })
    await expect.poll(() => field.isDisabled()).toBe(true)
  })
}

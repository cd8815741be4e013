import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo } from '../harness/go-to.ts'
import { argumentsOf, calls, openScript, openState } from '../harness/open-state.ts'

/** Moving the settings to another computer. */
export function checkSettingsFile(): void {
  it('says where the settings were exported to', async () => {
    const page = await openState('settings-advanced')
    await page.getByRole('button', { name: 'Export settings…' }).click()
    await page.getByText('mediatray-settings.json').waitFor()
  })

  it('shows what an import would change, and that a folder doesn’t exist here', async () => {
    const page = await openState('settings-import')
    await page
      .getByText(
        'From mediatray-settings.json, exported from studio-mac on 14 November. Nothing has changed yet.',
      )
      .waitFor()
    const rows = page.locator('.import-table tbody tr:not(:first-child)')
    expect((await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*/))).toEqual([
      ['Appearance', 'System', 'Dark'],
      ['Notifications', 'All', 'Only jobs with problems and failed jobs'],
      ['Save to', '~/Pictures/Web', 'Next to each original'],
      ['Files already done', 'Skip them', 'Process again'],
      ['Preset', 'None', 'Gallery'],
      ['Quiet mode', 'Always', 'Only between 22:00 and 07:00'],
      ['Watched folder', 'None', '~/Camera Uploads. Web 2048, replaces the originals'],
      ['Watched folder', 'None', 'Not found: /Volumes/Card'],
      [
        'Rules for watched folders',
        '~/Camera Uploads. None',
        '~/Camera Uploads. Every file: Mail, replaces the originals. Everything else: Ignored',
      ],
      ['Rules for watched folders', '/Volumes/Card. None', '/Volumes/Card. All new files: Ignored'],
      ['Keep replaced originals', '30 days', '90 days'],
    ])
    expect(await page.locator('.import-missing.text-warning').innerText()).toBe('Not found: /Volumes/Card')
    expect(await page.locator('.import-note').allInnerTexts()).toEqual([
      'Programs, requests and messages after a job are imported, but turned off.',
      '1 setting is from a newer version and can’t be imported.',
      'Keys and the addresses and tokens of receivers are never imported.',
    ])
    expect(await calls(page, 'settings.import')).toEqual([])
  })

  it('imports only the chosen pages with the keyboard, and undoes the import', async () => {
    const page = await openState('settings-import')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import-general')
    await page.getByRole('checkbox', { name: 'Originals and history 1' }).press('Space')
    await page.getByRole('checkbox', { name: 'Presets 1' }).press('Space')
    await page.getByRole('button', { name: 'Import 9 settings' }).press('Enter')
    await page.getByText('Imported 9 settings').waitFor()
    expect(await argumentsOf(page, 'settings.import')).toEqual([
      {
        names: [
          'appearance',
          'notifications',
          'defaultOriginals',
          'doneFiles',
          'quiet',
          'watchFolders',
          'folderRules',
        ],
        presets: false,
      },
    ])
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import-settings')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await calls(page, 'settings.undoImport')).length).toBe(1)
  })

  itInLongSuite(
    'counts only what was imported, and names services that the user didn’t confirm',
    async () => {
      const { script } = fixture('settings-import')
      const { settingsFile } = script
      if (typeof settingsFile !== 'object') throw new Error('The state has no settings file')
      const service = 'https://media.example/api'
      const changes = [
        { name: 'connection', now: 'builtIn', next: 'external' },
        { name: 'baseUrl', now: '', next: service },
        { name: 'appearance', now: 'system', next: 'dark' },
      ]
      const page = await openScript({
        ...script,
        settingsFile: { ...settingsFile, changes, presets: [] },
        unconfirmed: [service],
      })
      await goTo(page, fixture('settings-import'))
      await page.getByRole('button', { name: 'Import 3 settings' }).click()
      await page.getByText('Imported 1 setting').waitFor()
      await page.getByText(`Not imported, because you didn’t confirm it: ${service}`).waitFor()
    },
  )

  itInLongSuite('names the settings that can’t be read instead of exporting the rest', async () => {
    const { script } = fixture('settings-advanced')
    const page = await openScript({ ...script, settingsExport: { unread: ['quiet.from', 'watchFolders'] } })
    await goTo(page, fixture('settings-advanced'))
    await page.getByRole('button', { name: 'Export settings…' }).click()
    await page.getByText('these settings can’t be read: quiet.from, watchFolders.').waitFor()
  })

  itInLongSuite('changes nothing if the user cancels', async () => {
    const page = await openState('settings-import')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import-settings')
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.locator('.import-table input').first().press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import-settings')
    expect(await calls(page, 'settings.import')).toEqual([])
  })

  itInLongSuite.each([
    ['notSettings', 'This isn’t a settings file. Nothing was changed.'],
    ['same', 'These are the settings you already have.'],
  ])('explains a file that changes nothing: %s', async (kind, text) => {
    const { script } = fixture('settings-import')
    const { settingsFile } = script
    if (typeof settingsFile !== 'object') throw new Error('The state has no settings file')
    const same = { ...settingsFile, changes: [], presets: [] }
    const page = await openScript({ ...script, settingsFile: kind === 'same' ? same : 'notSettings' })
    await goTo(page, fixture('settings-advanced'))
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.getByText(text).waitFor()
    expect(await page.locator('.import-table').count()).toBe(0)
  })
}

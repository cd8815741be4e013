/** The settings are exported to a file, and imported again as one change that can be undone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { makeHome } from './support/home.ts'
import { openSettings } from './support/settings.ts'
import { startWithBuiltIn, stateOf, WITHIN } from './support/start-app.ts'

test('an export is imported again, page by page, and the import is undone', async ({ expect }) => {
  using home = makeHome({ connection: 'builtIn', keepHistoryDays: 9, appearance: 'dark' })
  const file = join(home.path, 'moved.json')
  await using app = await startWithBuiltIn({ in: home })
  const page = await app.page()
  const chosen = async () => {
    const { appearance, keepHistoryDays } = (await stateOf(app)).settings
    return [appearance, keepHistoryDays]
  }

  await openSettings(page, 'Advanced')
  await page.getByRole('button', { name: 'Export settings…' }).click()
  await app.dialogs.answerSave(file)
  await page.locator('.toast').getByText('moved.json').waitFor()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ mediatraySettings: 1 })

  await page.evaluate(() => window.mediatray.settings.update({ appearance: 'light', keepHistoryDays: 5 }))
  await page.getByRole('button', { name: 'Import…' }).click()
  await app.dialogs.answerOpen([file])
  await page.getByText('Nothing has changed yet.').waitFor()
  expect(await chosen()).toEqual(['light', 5])
  await page.getByRole('checkbox', { name: 'General 1' }).uncheck()
  await page.getByRole('button', { name: 'Import 1 setting' }).click()
  await page.locator('.toast').getByText('Imported 1 setting').waitFor()
  await expect.poll(chosen, WITHIN).toEqual(['light', 9])
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(chosen, WITHIN).toEqual(['light', 5])
})

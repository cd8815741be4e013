/** What the user saves from the settings: a report for support, and the settings, which can be imported again. */
import { mkdirSync, readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { startStubService } from '../support/stub-service.ts'
import { openSettings } from '../support/settings.ts'
import { share } from '../support/share-app.ts'
import { row, startApp, startWith, stateOf, WITHIN } from '../support/start-app.ts'

const KEY = 'lmj_Zt81-the-key-of-this-service-only'

const shared = share(async () => {
  const service = await startStubService()
  service.key = KEY
  const app = await startWith(service, { settings: { keepHistoryDays: 9, appearance: 'dark' } })
  return {
    app,
    service,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
})

test('the report shows nothing private before it is saved, and is saved as shown', async () => {
  const { app, service } = await shared()
  const page = await app.page()
  await app.dropFiles('.job-pane', [app.files.photo('Grandmother Ilse at the sea.jpg')])
  await page.getByRole('button', { name: /^Start job/ }).click()
  await row(page, 'Grandmother').waitFor()
  await app.dropFiles('.job-pane', [
    app.files.photo('passport-scan.jpg'),
    app.files.file('diary of May.txt', 'no'),
  ])
  await page.getByText('passport-scan.jpg').first().waitFor()
  // A rejected key is logged, but the key itself must not be.
  await page.evaluate(
    (baseUrl) => window.mediatray.connection.test({ baseUrl, key: 'wrong-key-0815-of-no-one' }),
    service.baseUrl,
  )

  // An uncaught error in the main process is logged and shown once, and the app keeps running.
  await app.failInMain('exception', 'an uncaught error')
  await app.failInMain('rejection', 'an unhandled rejection')
  await app.until('the notification', ({ notifications }) => notifications.length > 0)

  await openSettings(page, 'Advanced')
  await page.getByRole('button', { name: 'Save report' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Mediatray diagnostics').waitFor()
  const shown = (await dialog.locator('pre').textContent()) ?? ''
  expect(shown).toMatch(/^Versions$/m)
  expect(shown).toMatch(/^Settings$/m)
  expect(shown).toMatch(/^State$/m)
  const log = shown.slice(shown.search(/^Log$/m)).split('\n')
  expect(log.length).toBeGreaterThan(3)
  expect(shown).toMatch(/an uncaught error[^]+an unhandled rejection/)
  expect(app.notifications.all().map(({ title }) => title)).toEqual(['Something went wrong inside Mediatray'])
  expect(app.dialogs.all()).toEqual([])
  const secrets = [
    KEY,
    'wrong-key-0815',
    app.files.path,
    basename(app.files.path),
    'Grandmother',
    'Ilse',
    'passport-scan',
    'diary of May',
  ]
  for (const secret of secrets) expect(shown).not.toContain(secret)
  const words = new Set(shown.split(/[^\p{L}\p{N}]+/u))
  for (const name of [userInfo().username, hostname()]) expect(words).not.toContain(name)

  const file = join(app.files.path, 'report.txt')
  await app.dialogs.answerSave(file)
  await dialog.getByRole('button', { name: 'Save report' }).click()
  await page.getByText('report.txt').first().waitFor()
  expect(readFileSync(file, 'utf8')).toBe(shown)
})

test('an export of the settings is imported again, page by page, and the import is undone', async () => {
  const { app } = await shared()
  const file = join(app.files.path, 'moved.json')
  const page = await app.page()
  const chosen = async () => {
    const { appearance, keepHistoryDays } = (await stateOf(app)).settings
    return [appearance, keepHistoryDays]
  }

  // The first test leaves its dialog open.
  await page.keyboard.press('Escape')
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

test('an app that can’t open its data reports that in a system dialog and exits', async () => {
  using home = makeHome()
  mkdirSync(join(home.data, 'outbox.db'))
  await using app = await startApp({ in: home, waitFor: 'nothing' })
  expect(await app.exited).toBe(1)
  expect(app.dialogs.all()).toMatchObject([{ kind: 'error', options: { title: 'Couldn’t start Mediatray' } }])
  expect(app.recorded().chromiumPid).toBe(null)
})

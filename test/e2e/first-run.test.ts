import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DEFAULT_PORT } from '../../src/shared/api/limits.ts'
import { API_KEY, startService } from '../conformance/running-service.ts'
import { startStubService, type StubService } from './support/stub-service.ts'
import { keyboardOf } from './support/keyboard.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { share } from './support/share-app.ts'
import { CONNECT, online, picture, row, startApp, stateOf, WITHIN } from './support/start-app.ts'

// First, because the built-in service of a running app may use the default port.
testInLongSuite('a service running at the default address is found and named', async ({ skip }) => {
  const usual = await startAtUsualPort()
  if (usual === null) return skip(`Something else is at port ${DEFAULT_PORT} of this computer`)
  await using service = usual
  await using app = await startApp()
  const page = await app.page()
  await page.getByText(`Found at 127.0.0.1:${DEFAULT_PORT}, version 1.0.81`).waitFor()
  expect(await page.getByRole('radio', { name: /already running/ }).isChecked()).toBe(true)
  await page.getByLabel('API key', { exact: true }).fill(service.key)
  await page.getByRole('button', { name: 'Continue' }).click()
  await online(app)
  await page.evaluate(() => window.mediatray.connection.forgetKey())
})

const shared = share(async () => startApp({ settings: { baseUrl: await unusedAddress() } }))

test('a user without another service isn’t asked anything and uses the built-in service', async () => {
  const app = await shared()
  const page = await app.page()
  await page.locator('.job-pane').getByText('Drop photos or videos here').waitFor()
  await page.locator('.job-pane button:focus', { hasText: 'Choose files…' }).waitFor()
  await online(app)
  expect((await stateOf(app)).connection).toMatchObject({ kind: 'builtIn', key: 'session' })
  expect(app.files.readSettings().connection).toBe('builtIn')
  await page.getByText('Using the built-in service').waitFor()
  await picture(page, 'first-run')
})

test('from the first start, a folder of photos gets smaller with two decisions: which folder, and Enter', async () => {
  const app = await shared()
  const page = await app.page()
  const [folder = ''] = [app.files.photo('one.jpg'), app.files.photo('two.jpg')].map(dirname)
  await online(app)
  await app.dropFiles('.job-pane', [folder])
  const task = page.getByRole('radio', { name: /^Make smaller\./ })
  await expect.poll(() => task.evaluate((radio) => radio === document.activeElement), WITHIN).toBe(true)
  expect(await task.isChecked()).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByText('2 photos, Make smaller').waitFor()
  const [job] = (await stateOf(app)).settings.recentOutputs
  await expect
    .poll(() => readdirSync(job ?? ''), WITHIN)
    .toEqual(['one-make-smaller.jpg', 'two-make-smaller.jpg'])
  expect(bytesIn(job ?? '')).toBeLessThan(bytesIn(folder))
})

testInLongSuite('the service can be changed from the first screen', async () => {
  await using app = await startApp({ settings: { baseUrl: await unusedAddress() } })
  const page = await app.page()
  await page.getByRole('button', { name: 'Change the service' }).click()
  await page.getByRole('heading', { name: 'Service' }).waitFor()
})

test('from the first start to an undone replacement and a changed setting, the keyboard is enough and always shows where it is', async () => {
  await using app = await startApp({ settings: { baseUrl: await unusedAddress() } })
  const page = await app.page()
  const { press, pressUntil, type } = keyboardOf(page)
  await online(app)
  await app.dialogs.answerOpen([app.files.photo('a.jpg')])
  await page.locator('.job-pane button:focus', { hasText: 'Choose files…' }).waitFor()
  await press('Enter')
  await page.locator('input:focus[type="radio"]').waitFor()
  await pressUntil('Tab', page.getByRole('combobox', { name: 'Save to' }))
  await press('Enter')
  await type('Replace')
  await press('Enter')
  await page.getByText('1 original will be replaced by its result.').first().waitFor()
  await pressUntil('Shift+Tab', page.getByRole('radio', { name: /^Make smaller\./ }))
  await press('2')
  await press('Enter')
  await row(page, 'a.jpg').filter({ hasText: '1 replaced' }).waitFor()

  await pressUntil('F6', row(page, 'a.jpg'))
  await press('Enter')
  await pressUntil('Tab', page.getByRole('button', { name: 'Undo: a.jpg' }))
  await press('Enter')
  await page.getByRole('button', { name: 'Replace again: a.jpg' }).waitFor()

  await press('ControlOrMeta+,')
  await press('ControlOrMeta+f')
  await type('tray icon')
  await pressUntil('Tab', page.getByRole('button', { name: /^Show the tray icon/ }))
  await press('Enter')
  const isShown = async () => (await stateOf(app)).settings.showTray
  expect(await isShown()).toBe(true)
  await pressUntil('Tab', page.getByRole('switch', { name: 'Show the tray icon' }))
  await press('Space')
  await expect.poll(isShown, WITHIN).toBe(false)
  for (let back = 0; back < 3 && !(await row(page, 'a.jpg').isVisible()); back += 1) await press('Escape')
  expect(await row(page, 'a.jpg').isVisible()).toBe(true)
})

test('a user with a service is asked for its key, which is stored only in the keychain', async () => {
  await using service = await startService()
  await using app = await startApp({ settings: { baseUrl: service.baseUrl } })
  const page = await app.page()
  await page.getByRole('heading', { name: 'Choose a service' }).waitFor()
  await page.getByText(`Found at ${new URL(service.baseUrl).host}, version 1.0.81`).waitFor()
  await picture(page, 'first-run-asked')
  await page.getByRole('button', { name: 'Other address' }).click()
  await page.getByRole('textbox', { name: 'Address' }).fill(service.baseUrl.replace('127.0.0.1', 'localhost'))

  await app.dialogs.answerMessage(CONNECT)
  await page.getByLabel('API key', { exact: true }).fill('not-the-key')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('The service rejected this key.').waitFor()
  await page.getByLabel('API key', { exact: true }).fill(API_KEY)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.job-pane').getByText('Drop photos or videos here').waitFor()
  await online(app)

  expect((await stateOf(app)).connection).toMatchObject({ kind: 'external', key: 'keychain' })
  const seenByThePage = await page.evaluate(async () => {
    const snapshot = JSON.stringify(await window.mediatray.app.snapshot())
    return snapshot + document.documentElement.outerHTML + JSON.stringify(Object.entries(localStorage))
  })
  expect(seenByThePage).not.toContain(API_KEY)
  expect(textOfAllFiles(app.files.data)).not.toContain(API_KEY)
  expect(app.log()).not.toContain(API_KEY)

  // The next launch reads the key from the keychain.
  await app.quit()
  await using again = await startApp({ in: app.files })
  await online(again)
  await expect.poll(async () => (await stateOf(again)).connection.key, WITHIN).toBe('keychain')
})

const PATIENCE_MS = 120_000

/**
 * Apps of other specs use this port for their own service and release it later.
 * @returns null if the port stays in use
 */
async function startAtUsualPort(): Promise<StubService | null> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const service = await startStubService(DEFAULT_PORT).catch(() => null)
    if (service !== null || Date.now() > end) return service
    await setTimeout(100)
  }
}

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

/** Returns an address where nothing responds. */
async function unusedAddress(): Promise<string> {
  const service = await startStubService()
  await service[Symbol.asyncDispose]()
  return service.baseUrl
}

/** Everything the app has written, except the browser profile. */
function textOfAllFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('chromium-'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

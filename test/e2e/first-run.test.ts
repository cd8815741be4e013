import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DEFAULT_PORT } from '../../src/shared/api/limits.ts'
import { API_KEY, startService } from '../conformance/running-service.ts'
import { startPosedService, type PosedService } from './support/posed-service.ts'
import { online, picture, startApp, stateOf, WITHIN } from './support/start-app.ts'

test('someone without any service takes the built-in one and is ready to drop files', async () => {
  await using app = await startApp()
  const page = await app.page()
  await page.getByRole('heading', { name: 'Who does the work?' }).waitFor()
  await picture(page, 'first-run')
  await page.getByRole('radio', { name: /built-in/i }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.job-pane').getByText('Drop photos or videos here').waitFor()
  await online(app)
  expect((await stateOf(app)).connection).toMatchObject({ kind: 'builtIn', key: 'keychain' })
  expect(app.files.readSettings().connection).toBe('builtIn')
  await picture(page, 'nothing-yet')
})

test('someone with a service is asked for its key, which goes into the keychain and nowhere else', async () => {
  const service = await startService()
  try {
    await using app = await startApp()
    const page = await app.page()
    await page.getByRole('heading', { name: 'Who does the work?' }).waitFor()
    // Whether something answers at the usual address of this computer is not for a test to say.
    const other = page.getByRole('button', { name: 'Other address' })
    const own = page.getByRole('radio').first()
    await own.check()
    await other
      .or(page.getByRole('textbox', { name: 'Address' }))
      .first()
      .waitFor()
    if (await other.isVisible()) await other.click()
    await page.getByRole('textbox', { name: 'Address' }).fill(service.baseUrl)

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

    // The next start has the key from the keychain.
    await app.quit()
    await using again = await startApp({ in: app.files })
    await online(again)
    await expect.poll(async () => (await stateOf(again)).connection.key, WITHIN).toBe('keychain')
  } finally {
    await service.stop()
  }
})

test('a service that already runs where services usually do is found and named', async ({ skip }) => {
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

const PATIENCE_MS = 120_000

/** Apps of other specs take this port for their own service, and give it back. @returns null where somebody keeps it */
async function startAtUsualPort(): Promise<PosedService | null> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const service = await startPosedService(DEFAULT_PORT).catch(() => null)
    if (service !== null || Date.now() > end) return service
    await setTimeout(100)
  }
}

/** What the app has written, without the browser's own profile. */
function textOfAllFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('chromium-'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

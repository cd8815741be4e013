/**
 * Tests a packed app on the stand-in: starts it for the first time, chooses the built-in service, which must run on the packaged
 * Node, and processes a photo and a video.
 * Run as `node test/package/packed-app.ts <folder of the unpacked archive> <resources>`; the exit code is the result.
 */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { makeHome } from '../e2e/support/home.ts'
import { startKeychainSession } from '../e2e/support/keychain-session.ts'
import { childrenOf } from '../child-processes.ts'
import { type App, launchApp, LONG_ENOUGH_MS } from '../stand-in/driver.ts'

const POLL_MS = 50

const [folder = '', resources = ''] = process.argv.slice(2)
const session = await startKeychainSession()
try {
  using home = makeHome()
  await using app = await launchApp({
    mainBundle: join(folder, 'dist/main/index.js'),
    home: home.path,
    env: {
      ...session.env,
      MEDIATRAY_STAND_IN_PACKAGED: '1',
      MEDIATRAY_STAND_IN_RESOURCES: resources,
    },
  })
  const page = await app.page()
  page.setDefaultTimeout(LONG_ENOUGH_MS)
  await chooseBuiltInService(page)
  await processFile(app, page, home.photo())
  if (childrenOf(app.pid, join(resources, 'node')).length === 0)
    throw new Error(`The service does not run on the Node in the package\n${app.log()}`)
  await processFile(app, page, home.video())
  const results = readdirSync(home.output)
  for (const extension of ['.jpg', '.mp4'])
    if (!results.some((name) => name.endsWith(extension)))
      throw new Error(`No result ends in ${extension}: ${results.join(', ')}\n${app.log()}`)
} finally {
  await session.stop()
}

async function chooseBuiltInService(page: Page): Promise<void> {
  // The app asks on its first launch, unless another service responds at the usual address.
  const builtIn = page.getByRole('radio', { name: /built-in/i })
  await builtIn.or(page.getByText('Using the built-in service')).first().waitFor()
  if (await builtIn.isVisible()) {
    await builtIn.click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await page.locator('.job-pane').getByText('Drop photos or videos here').waitFor()
}

async function processFile(app: App, page: Page, file: string): Promise<void> {
  await app.dropFiles('.job-pane', [file])
  await page.getByRole('button', { name: /^Start job/ }).click()
  const until = Date.now() + LONG_ENOUGH_MS
  while (!(await isDone(page, file))) {
    if (Date.now() > until) throw new Error(`${basename(file)} is not done.\n${app.log()}`)
    await sleep(POLL_MS)
  }
}

async function isDone(page: Page, file: string): Promise<boolean> {
  const { lastResult } = await page.evaluate(async () => (await window.mediatray.app.snapshot()).state)
  return lastResult?.firstPath === file && lastResult.outcome?.kind === 'done'
}

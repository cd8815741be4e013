/**
 * A packed app does what it is for: starts on the stand-in for the first time, takes the built-in service, and makes a photo and
 * a video. `node test/package/packed-app.ts <folder of the unpacked archive>`; a process of its own, whose end is the result.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeHome } from '../e2e/support/home.ts'
import { startKeychainSession } from '../e2e/support/keychain-session.ts'
import { launchApp } from '../stand-in/driver.ts'

const TIMEOUT = 30_000
const [folder = ''] = process.argv.slice(2)

const session = await startKeychainSession()
try {
  using home = makeHome()
  await using app = await launchApp({
    mainBundle: join(folder, 'dist/main/index.js'),
    home: home.path,
    env: session.env,
    timeout: TIMEOUT,
  })
  const page = await app.page()
  page.setDefaultTimeout(TIMEOUT)
  await page.getByRole('heading', { name: 'Who does the work?' }).waitFor()
  await page.getByRole('radio', { name: /built-in/i }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.stage').getByText('Drop photos or videos here').waitFor()

  for (const file of [home.photo('holiday.jpg'), home.video('sunrise.mp4')]) {
    await app.dropFiles('.stage', [file])
    await page.getByRole('button', { name: /^Start job/ }).click()
    const name = file.slice(file.lastIndexOf('/') + 1)
    await page.locator('.jobs .row').filter({ hasText: name }).filter({ hasText: 'Done' }).waitFor()
  }
  const made = existsSync(home.output) ? readdirSync(home.output, { recursive: true }).map(String) : []
  for (const extension of [/\.jpe?g$/, /\.mp4$/])
    if (!made.some((name) => extension.test(name)))
      throw new Error(`There is no result ${extension.source}: ${made.join(', ')}\n${app.log()}`)
} finally {
  await session.stop()
}

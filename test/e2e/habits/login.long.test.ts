import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { isLongRun, testInLongSuite } from '../support/long-suite.ts'
import { openSettings } from '../support/settings.ts'
import { startApp, WITHIN } from '../support/start-app.ts'

test('on Linux, the login switch creates and removes an autostart file', async () => {
  await using app = await startApp({
    settings: { connection: 'builtIn' },
    env: { XDG_CONFIG_HOME: undefined },
  })
  const page = await app.page()
  const file = join(app.files.path, '.config/autostart/app.mediatray.Mediatray.desktop')
  expect(existsSync(file)).toBe(false)
  await openSettings(page, 'General')
  const choice = page.getByRole('switch', { name: /at login/i })
  await choice.check()
  await expect.poll(() => existsSync(file), WITHIN).toBe(true)
  await expect.poll(() => readFileSync(file, 'utf8'), WITHIN).toMatch(/^Exec=".+" --hidden$/m)
  await choice.uncheck()
  await expect.poll(() => existsSync(file), WITHIN).toBe(false)
})

test('an imported setting creates the autostart file when the app starts, and only then', async () => {
  using home = makeHome({ connection: 'builtIn', startAtLogin: true })
  const file = join(home.path, '.config/autostart/app.mediatray.Mediatray.desktop')
  const start = () => startApp({ in: home, env: { XDG_CONFIG_HOME: undefined } })
  {
    await using app = await start()
    await app.page()
    await expect.poll(() => existsSync(file), WITHIN).toBe(true)
    const settings = join(home.data, 'settings.json')
    await expect.poll(() => readFileSync(settings, 'utf8'), WITHIN).toContain('startAtLoginOn')
  }
  // The user removed it in the system.
  rmSync(file)
  await using app = await start()
  await app.page()
  expect(existsSync(file)).toBe(false)
})

testInLongSuite('on macOS, an app opened at login doesn’t show a window', async () => {
  await using app = await startApp({
    platform: 'darwin',
    settings: { connection: 'builtIn' },
    args: ['--opened-at-login'],
    waitFor: 'ready',
  })
  await app.until('the tray', ({ trays }) => trays.length > 0)
  expect(app.windows()).toEqual([])
  await app.activate(false)
  await app.page()
})

test.each(isLongRun ? (['win32', 'darwin'] as const) : [])(
  'on %s, Electron registers the login item',
  async (platform) => {
    await using app = await startApp({ platform, settings: { connection: 'builtIn' } })
    const page = await app.page()
    expect(app.recorded().loginItem).toBe(null)
    await openSettings(page, 'General')
    const choice = page.getByRole('switch', { name: /at login/i })
    await choice.check()
    const on = await app.until('the login item', ({ loginItem }) => loginItem)
    const path = platform === 'win32' ? { path: process.execPath } : {}
    expect(on).toEqual({ openAtLogin: true, ...path, args: ['--hidden'] })
    await choice.uncheck()
    await app.until('no login item', ({ loginItem }) => loginItem?.['openAtLogin'] === false)
  },
)

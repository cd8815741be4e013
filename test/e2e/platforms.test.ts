import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeInLongSuite, testInLongSuite } from './support/long-suite.ts'
import { shareApp } from './support/share-app.ts'
import { type StubService, startStubService } from './support/stub-service.ts'
import {
  pollNow,
  type RunningApp,
  startApp,
  startButton,
  startWith,
  stateOf,
  submitPhoto,
  trayLines,
  WITHIN,
} from './support/start-app.ts'

const DIST = join(import.meta.dirname, '../../dist')
const PORTABLE = 'D:\\Mediatray-portable.exe'
const END = { status: 'completed', completedAt: '2026-11-20T13:00:00.000Z' } as const

/**
 * Runs one job through the window, which loses focus before the job ends.
 * @returns the path of the result
 */
async function finishOneJob(app: RunningApp, service: StubService, name: string): Promise<string> {
  const page = await app.page()
  await app.dropFiles('.job-pane', [app.files.photo(name)])
  await startButton(page).click()
  await expect.poll(() => service.jobs.length, WITHIN).toBe(1)
  await app.blurWindow()
  const outputPath = join(app.files.output, 'result.jpg')
  mkdirSync(app.files.output, { recursive: true })
  copyFileSync(app.files.photo(name), outputPath)
  service.pose(1, { ...END, result: { outputPath } })
  await pollNow(app)
  return outputPath
}

const trayIcon = (app: RunningApp) => app.until('the tray', ({ trays }) => trays[0]?.icon)

test('the preload is a single file that requires only Electron', () => {
  const [file, ...others] = readdirSync(join(DIST, 'preload'))
  expect(others).toEqual([])
  const text = readFileSync(join(DIST, 'preload', file ?? ''), 'utf8')
  const required = [...text.matchAll(/\brequire\(["'`]([^"'`]+)["'`]\)/g)].map(([, name]) => name)
  expect(new Set(required)).toEqual(new Set(['electron']))
  expect(text).not.toMatch(/^import |^export /m)
})

describeInLongSuite('on macOS', () => {
  const shared = shareApp({ platform: 'darwin' })

  test('the tray has a template image and opens its menu on a right click, and notifications have buttons', async () => {
    const { app, service } = await shared()
    expect(await trayIcon(app)).toMatch(/idleTemplate\.png$/)
    // With a menu set, a left click would open the menu instead of the window.
    expect(trayLines(app)).toEqual([])
    await app.tray.rightClick()
    await app.until('the menu', ({ popupMenu }) => popupMenu?.some(({ label }) => label === 'New job…'))

    const result = await finishOneJob(app, service, 'mac.jpg')
    const shown = await app.until('the notification', ({ notifications }) => notifications[0])
    expect(shown.actions).toEqual(['Show in folder'])
    await app.notifications.action(0, 0)
    await app.until('the folder', ({ shellCalls }) =>
      shellCalls.some(({ call, target }) => call === 'showItemInFolder' && target === result),
    )
    await app.until('the menu bar', ({ applicationMenu }) => applicationMenu?.[0]?.label === 'Mediatray')
  })

  test('a dialog opened while the window is hidden has no parent, so the user can answer it', async () => {
    const { app } = await shared()
    await app.closeWindow()
    await app.until('the hidden window', ({ windows }) => windows[0]?.visible === false)
    await app.menu.choose('File', 'Add files…')
    await app.until('the dialog', ({ dialogs }) => dialogs.some(({ answered }) => !answered))
    await app.dialogs.answerOpen([app.files.photo('mac.jpg')])
    await expect.poll(async () => (await stateOf(app)).draft.source, WITHIN).toMatchObject({ kind: 'files' })
  })

  // The last one with this app, because it quits it.
  test('a full-screen window leaves full screen before it hides and before the app quits', async () => {
    const { app } = await shared()
    await app.tray.click()
    await app.until('the window', ({ windows }) => windows[0]?.visible)
    await app.toggleFullScreen()
    await app.until('full screen', ({ windows }) => windows[0]?.fullScreen)
    await app.closeWindow()
    await app.until('the hidden window', ({ windows }) => windows[0]?.visible === false)
    expect(app.windows()).toMatchObject([{ fullScreen: false, blackSpace: false }])
    await app.tray.click()
    await app.until('the window', ({ windows }) => windows[0]?.visible)

    await app.toggleFullScreen()
    await app.until('full screen', ({ windows }) => windows[0]?.fullScreen)
    expect(await app.quit()).toBe(0)
    expect(app.windows().filter(({ blackSpace }) => blackSpace)).toEqual([])
  })

  test('the window can be moved on first launch, and doesn’t prevent quitting for an update', async () => {
    await using service = await startStubService()
    await using app = await startApp({ platform: 'darwin', settings: { baseUrl: service.baseUrl } })
    const page = await app.page()
    const region = await page
      .locator('.first-run')
      .evaluate((shown) => getComputedStyle(shown, '::before').getPropertyValue('-webkit-app-region'))
    expect(region).toBe('drag')
    await app.until('the tray', ({ trays }) => trays.length > 0)
    expect(await app.quitForUpdate()).toBe(0)
  })
})

/** Simulates a packaged app that is neither portable nor run from the sources. */
const INSTALLED = { MEDIATRAY_STAND_IN_PACKAGED: '1' }

describeInLongSuite('on Windows', () => {
  test('three jobs that end together produce one clickable notification', async () => {
    await using service = await startStubService()
    await using app = await startWith(service, { platform: 'win32', env: INSTALLED })
    for (const name of ['one.jpg', 'two.jpg', 'three.jpg']) await submitPhoto(app, name)
    await expect.poll(() => service.jobs.length, WITHIN).toBe(3)
    await app.blurWindow()
    const result = { outputPath: join(app.files.output, 'result.jpg') }
    for (const job of [1, 2, 3]) service.pose(job, { ...END, result })
    await pollNow(app)
    const shown = await app.until('a notification', ({ notifications }) => notifications.at(-1))
    expect(shown).toMatchObject({ number: 0, title: '3 jobs are done', state: 'shown' })
    await app.notifications.click(0)
    expect(app.notifications.all()).toHaveLength(1)
    expect(app.recorded().startMenu).toBe(process.execPath)
  })

  const portable = shareApp({
    platform: 'win32',
    env: { ...INSTALLED, PORTABLE_EXECUTABLE_FILE: PORTABLE },
  })
  const fromSources = shareApp({ platform: 'win32' })

  test.each([
    ['the portable app', portable],
    ['the app from its sources', fromSources],
  ] as const)(
    '%s notifies from the tray, and keeps the entry of an installed app unchanged',
    async (_who, shared) => {
      const { app, service } = await shared()
      await finishOneJob(app, service, 'portable.jpg')
      await app.until('the balloon', ({ trays }) => trays[0]?.balloon?.title === '1 photo is ready')
      expect(app.recorded()).toMatchObject({ startMenu: null, notifications: [], toastActivator: null })
      expect(app.recorded().appUserModelId).not.toBe('app.mediatray.Mediatray')
      await app.tray.clickBalloon()
      await app.until('the window', ({ windows }) => windows[0]?.focused)
    },
  )

  test('the portable app has a separate AppUserModelID, leaves no trace in the system, and has a tray icon that matches the taskbar', async () => {
    const { app } = await portable()
    expect(app.recorded()).toMatchObject({
      appUserModelId: 'app.mediatray.Mediatray.NotInstalled',
      toastActivator: null,
      protocolClients: [],
      loginItem: null,
    })
    // The running program is in a temporary folder; the next launch uses the file that was clicked.
    expect(app.recorded().userTasks?.map(({ program }) => program)).toEqual([PORTABLE, PORTABLE])
    expect(await trayIcon(app)).toMatch(/idle-black\.ico$/)
    await app.setDark(true)
    await app.until('the white icon', ({ trays }) => trays[0]?.icon.endsWith('idle-white.ico'))
  })
})

describe('on Linux', () => {
  const shared = shareApp({})

  test('the tray menu is replaced on each change, a single & is preserved, and notifications have no buttons', async () => {
    const { app, service } = await shared()
    await finishOneJob(app, service, 'salt & pepper.jpg')
    await app.until('the last result', () =>
      trayLines(app).includes('Show last result   (salt & pepper.jpg)'),
    )
    const shown = await app.until('the notification', ({ notifications }) => notifications[0])
    expect(shown).toMatchObject({ actions: [], body: 'salt &amp; pepper.jpg, in ~/Pictures/Mediatray' })
  })

  test('an image can be pasted, and dialogs open in the Pictures folder', async () => {
    const { app } = await shared()
    const page = await app.page()
    await app.clipboard.set({ 'image/jpeg': readFileSync(app.files.photo('copied.jpg')) })
    await app.secondInstance(['--paste-image'])
    await page.locator('.draft-file').waitFor()
    await page.keyboard.press('ControlOrMeta+o')
    const dialog = await app.until('the dialog', ({ dialogs }) => dialogs.find(({ answered }) => !answered))
    expect(dialog.options).toMatchObject({ defaultPath: join(app.files.path, 'Pictures') })
    await app.dialogs.dismiss('open')
    expect((await stateOf(app)).draft.source).toMatchObject({ kind: 'files' })
  })

  testInLongSuite('the app is usable on a desktop without a tray', async () => {
    await using service = await startStubService()
    await using app = await startWith(service, { noTray: true })
    const page = await app.page()
    await app.dropFiles('.job-pane', [app.files.photo('no-tray.jpg')])
    await startButton(page).click()
    await expect.poll(() => service.jobs[0]?.fileName, WITHIN).toBe('no-tray.jpg')
  })

  test('only predefined links open in the browser', async () => {
    const { app } = await shared()
    const page = await app.page()
    await page.evaluate(() => window.mediatray.app.openLink('rclone'))
    await app.until('the browser', ({ shellCalls }) => shellCalls.length > 0)
    expect(app.shellCalls()).toEqual([{ call: 'openExternal', target: 'https://rclone.org/install/' }])
  })
})

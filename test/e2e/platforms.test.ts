import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type PosedService, startPosedService } from './support/posed-service.ts'
import {
  pollNow,
  type RunningApp,
  startApp,
  startButton,
  startWith,
  stateOf,
  trayLines,
  WITHIN,
} from './support/start-app.ts'

const DIST = join(import.meta.dirname, '../../dist')
const PORTABLE = 'D:\\Mediatray-portable.exe'
const END = { status: 'completed', completedAt: '2026-11-20T13:00:00.000Z' } as const

/** Through the window, and then looked away from. @returns the path of the result */
async function endOneJob(app: RunningApp, service: PosedService, name: string): Promise<string> {
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

test('the preload is one file that needs nothing but Electron', () => {
  const [file, ...others] = readdirSync(join(DIST, 'preload'))
  expect(others).toEqual([])
  const text = readFileSync(join(DIST, 'preload', file ?? ''), 'utf8')
  const required = [...text.matchAll(/\brequire\(["'`]([^"'`]+)["'`]\)/g)].map(([, name]) => name)
  expect(new Set(required)).toEqual(new Set(['electron']))
  expect(text).not.toMatch(/^import |^export /m)
})

describe('on macOS', () => {
  test('the tray has a template image, a menu of its own on a right click, and notifications have buttons', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service, { platform: 'darwin' })
    expect(await trayIcon(app)).toMatch(/idleTemplate\.png$/)
    // A set menu would open on the left click, which opens the window.
    expect(trayLines(app)).toEqual([])
    await app.tray.rightClick()
    await app.until('the menu', ({ popupMenu }) => popupMenu?.some(({ label }) => label === 'New job…'))

    const result = await endOneJob(app, service, 'mac.jpg')
    const shown = await app.until('the notification', ({ notifications }) => notifications[0])
    expect(shown.actions).toEqual(['Show in folder'])
    await app.notifications.action(0, 0)
    await app.until('the folder', ({ shellCalls }) =>
      shellCalls.some(({ call, target }) => call === 'showItemInFolder' && target === result),
    )
    await app.until('the menu bar', ({ applicationMenu }) => applicationMenu?.[0]?.label === 'Mediatray')
  })

  test('the window can be moved at the first run, and lets the app go for an update', async () => {
    await using app = await startApp({ platform: 'darwin' })
    const page = await app.page()
    const region = await page
      .locator('.first-run')
      .evaluate((shown) => getComputedStyle(shown, '::before').getPropertyValue('-webkit-app-region'))
    expect(region).toBe('drag')
    await app.until('the tray', ({ trays }) => trays.length > 0)
    expect(await app.quitForUpdate()).toBe(0)
  })
})

describe('on Windows', () => {
  test('the portable app has its model id, no trace in the system, and an ICO in the tray that fits the taskbar', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service, {
      platform: 'win32',
      env: { PORTABLE_EXECUTABLE_FILE: PORTABLE },
    })
    expect(app.recorded()).toMatchObject({
      appUserModelId: 'app.mediatray.Mediatray',
      toastActivator: '{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}',
      protocolClients: [],
      loginItem: null,
    })
    // What runs is a temporary folder; what is started next time is the file that was clicked.
    expect(app.recorded().userTasks?.map(({ program }) => program)).toEqual([PORTABLE, PORTABLE])
    expect(await trayIcon(app)).toMatch(/idle-black\.ico$/)
    await app.setDark(true)
    await app.until('the white icon', ({ trays }) => trays[0]?.icon.endsWith('idle-white.ico'))
  })

  test('a new job is opened from the jump list', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service, { platform: 'win32' })
    const page = await app.page()
    await page.keyboard.press('Control+,')
    await page.getByRole('navigation', { name: 'Settings' }).waitFor()
    await app.secondInstance(['--new-job'])
    await page.locator('.job-pane').getByText('Drop photos or videos here').waitFor()
  })
})

describe('on Linux', () => {
  test('the menu is set anew with each change, a single & stands as it is, and there are no buttons', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service)
    await endOneJob(app, service, 'salt & pepper.jpg')
    await app.until('the last result', () =>
      trayLines(app).includes('Show last result   (salt & pepper.jpg)'),
    )
    const shown = await app.until('the notification', ({ notifications }) => notifications[0])
    expect(shown).toMatchObject({ actions: [], body: 'salt & pepper.jpg, in ~/Pictures/Mediatray' })
  })

  test('an image is pasted from the tray, and dialogs open where photos are', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service)
    await app.tray.choose('Paste image')
    const page = await app.page()
    await app.clipboard.set({ 'image/jpeg': readFileSync(app.files.photo('copied.jpg')) })
    await app.tray.choose('Paste image')
    await page.locator('.file').waitFor()
    await page.keyboard.press('Control+o')
    const dialog = await app.until('the dialog', ({ dialogs }) => dialogs.find(({ answered }) => !answered))
    expect(dialog.options).toMatchObject({ defaultPath: join(app.files.path, 'Pictures') })
    await app.dialogs.dismiss('open')
    expect((await stateOf(app)).draft.source).toMatchObject({ kind: 'files' })
  })

  test('the app can be used where nobody sees a tray', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service, { noTray: true })
    const page = await app.page()
    await app.dropFiles('.job-pane', [app.files.photo('no-tray.jpg')])
    await startButton(page).click()
    await expect.poll(() => service.jobs[0]?.fileName, WITHIN).toBe('no-tray.jpg')
  })

  test('only pages that the app itself names are opened in the browser', async () => {
    await using service = await startPosedService()
    await using app = await startWith(service)
    const page = await app.page()
    await page.evaluate(() => window.mediatray.app.openLink('rclone'))
    await app.until('the browser', ({ shellCalls }) => shellCalls.length > 0)
    expect(app.shellCalls()).toEqual([{ call: 'openExternal', target: 'https://rclone.org/install/' }])
  })
})

/** Input from elsewhere on the desktop: links, a shortcut and quick tasks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { logFileIn } from '../../../src/node/log.ts'
import { describeInLongSuite, testInLongSuite } from '../support/long-suite.ts'
import { shareApp } from '../support/share-app.ts'
import { openSettings } from '../support/settings.ts'
import { draftNames, pollNow, row, type RunningApp, startApp, stateOf, WITHIN } from '../support/start-app.ts'

const newJob = (page: Page) => page.getByRole('heading', { name: /New job/ })
const jpeg = (app: RunningApp) => ({
  'image/jpeg': new Uint8Array(readFileSync(app.files.photo('copied.jpg'))),
})

const shared = shareApp({})

describe('a link', () => {
  test('opens a job, adds files only after confirmation, and does nothing when it is hostile', async () => {
    const { app, service } = await shared()
    const page = await app.page()
    service.addForeign(1)
    await pollNow(app)
    await row(page, '1.jpg').waitFor()
    const [job] = (await stateOf(app)).jobs
    const toJob = `mediatray://job/${job?.id ?? ''}`
    const photo = app.files.photo('linked photo.jpg')
    const toPhoto = `mediatray://add?path=${encodeURIComponent(photo)}`

    // Linux and Windows start the program again with the link; macOS sends an event.
    await app.secondInstance([toJob])
    await page.getByRole('heading', { name: '1.jpg' }).waitFor()

    const answer = async (button: number) => {
      await app.dialogs.answerMessage(button)
      await app.openUrl(toPhoto)
    }
    await answer(0)
    await app.until('the question', ({ dialogs }) => dialogs.length === 1 && dialogs[0]?.answered)
    expect(app.dialogs.all()[0]?.options).toMatchObject({
      message: 'A link wants to add 1 file',
      detail: photo,
      defaultId: 0,
    })
    await answer(1)
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['linked photo.jpg'])

    const requests = service.requests.filter((request) => !request.startsWith('GET'))
    const calls = app.shellCalls().length
    const { draft, outbox, settings } = await stateOf(app)
    for (const link of hostileLinks(photo, job?.id ?? '')) await app.openUrl(link)
    // Links are handled in order: once this one is handled, so are the others.
    await app.tray.choose('New job…')
    await newJob(page).waitFor()
    await app.openUrl(toJob)
    await page.getByRole('heading', { name: '1.jpg' }).waitFor()
    expect(app.dialogs.all()).toHaveLength(2)
    expect(app.shellCalls()).toHaveLength(calls)
    expect(service.requests.filter((request) => !request.startsWith('GET'))).toEqual(requests)
    expect(await stateOf(app)).toMatchObject({ draft, outbox, settings })
  })
})

const hostileLinks = (photo: string, id: string): readonly string[] => [
  'mediatray:',
  'mediatray://start',
  `mediatray://add?path=${encodeURIComponent(photo)}&path=../../etc/passwd`,
  'mediatray://add?path=%2F%2Fserver%2Fshare%2Fphoto.jpg',
  'mediatray://add?path=/etc/%0Apasswd',
  'mediatray://add',
  `mediatray://job/${id}/cancel`,
  'mediatray://job/..%2F..',
  `mediatray://user:key@job/${id}`,
  'mediatray://settings?seesFiles=false',
  `mediatray://add?${'path=%2Fa.jpg&'.repeat(200)}`,
  `javascript://job/${id}`,
  `file://${photo}`,
]

describe('the global shortcut', () => {
  test('is off until it is set, opens a new job, and can be removed', async () => {
    const { app } = await shared()
    const page = await app.page()
    expect(app.recorded().shortcuts).toEqual([])
    await openSettings(page, 'General')
    const field = page.locator('#shortcut')
    await field.press('Control+Alt+KeyM')
    await app.until('the shortcut', ({ shortcuts }) => shortcuts.join() === 'Control+Alt+M')
    await expect.poll(() => field.inputValue(), WITHIN).toBe('Ctrl + Alt + M')

    await app.closeWindow()
    await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
    await app.pressShortcut('Control+Alt+M')
    await app.until('the window', ({ windows }) => windows.some(({ visible }) => visible))
    await newJob(await app.page()).waitFor()

    await openSettings(page, 'General')
    await field.press('Control+Shift+KeyK')
    await app.until('another shortcut', ({ shortcuts }) => shortcuts.join() === 'Control+Shift+K')
    await field.press('Backspace')
    await app.until('no shortcut', ({ shortcuts }) => shortcuts.length === 0)
    await expect.poll(() => app.files.readSettings().globalShortcut, WITHIN).toBe(null)
  })

  testInLongSuite(
    'stays bound in a Wayland session, where the desktop binds it; a replaced shortcut does nothing',
    async () => {
      await using app = await startApp({
        // Without a bus, the app can't know whether the desktop shows tray icons, and closes to the tray.
        env: { XDG_SESSION_TYPE: 'wayland', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/dev/null' },
        settings: { connection: 'builtIn', globalShortcut: 'Control+Alt+M' },
      })
      const page = await app.page()
      await openSettings(page, 'General')
      await page.locator('#shortcut').press('Control+Shift+KeyK')
      await app.until('both', ({ shortcuts }) => shortcuts.join() === 'Control+Alt+M,Control+Shift+K')
      await app.closeWindow()
      await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
      await app.pressShortcut('Control+Alt+M')
      expect(app.windows().filter(({ visible }) => visible)).toEqual([])
      await app.pressShortcut('Control+Shift+K')
      await app.until('the window', ({ windows }) => windows.some(({ visible }) => visible))
    },
  )

  testInLongSuite('is reported as unavailable if another app uses it', async () => {
    await using app = await startApp({
      takenShortcuts: ['Control+Alt+M'],
      settings: { connection: 'builtIn', globalShortcut: 'Control+Alt+M' },
    })
    const page = await app.page()
    // A message at startup may be gone before anyone can see the page.
    const log = logFileIn(join(app.files.data, 'logs'))
    await expect
      .poll(() => readFileSync(log, 'utf8'), WITHIN)
      .toContain('Control+Alt+M belongs to another app')
    await openSettings(page, 'General')
    const field = page.locator('#shortcut')
    await field.press('Control+Alt+KeyN')
    await app.until('the shortcut', ({ shortcuts }) => shortcuts.join() === 'Control+Alt+N')
    await field.press('Control+Alt+KeyM')
    await page.getByText('Ctrl + Alt + M is used by another app.').waitFor()
    await app.until('no shortcut', ({ shortcuts }) => shortcuts.length === 0)
    await app.tray.choose('New job…')
    await newJob(page).waitFor()
  })
})

describeInLongSuite('quick tasks', () => {
  test('are in the dock menu', async () => {
    await using app = await startApp({
      platform: 'darwin',
      settings: { connection: 'builtIn' },
      args: ['--hidden'],
      waitFor: 'ready',
    })
    const menu = await app.until('the dock menu', ({ dockMenu }) => dockMenu)
    expect(menu.map(({ label }) => label)).toEqual(['New job', 'Paste image'])
    await app.menu.chooseDock('New job')
    await newJob(await app.page()).waitFor()
    await app.clipboard.set(jpeg(app))
    await app.menu.chooseDock('Paste image')
    await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(1)
  })

  test('are in the jump list, each with the argument that a second instance passes on', async () => {
    await using app = await startApp({
      platform: 'win32',
      settings: { connection: 'builtIn' },
      args: ['--hidden'],
      waitFor: 'ready',
    })
    const tasks = await app.until('the jump list', ({ userTasks }) => userTasks)
    expect(tasks.map(({ title, arguments: given }) => [title, given])).toEqual([
      ['New job', '--new-job'],
      ['Paste image', '--paste-image'],
    ])
    await app.secondInstance(['--new-job'])
    await newJob(await app.page()).waitFor()
    const image = jpeg(app)
    await app.clipboard.set(image)
    await app.secondInstance(['--paste-image'])
    await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(1)
    const [saved] = await draftNames(app)
    const pasted = readFileSync(join(app.files.data, 'pasted', saved ?? ''))
    // Windows pads what is copied.
    const { length } = image['image/jpeg']
    expect(new Uint8Array(pasted.subarray(0, length))).toEqual(image['image/jpeg'])
  })
})

/** The clipboard, from the shortcut or the tray to the result on it. */
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { childrenOf } from '../child-processes.ts'
import { readClipboardFile } from '../stand-in/electron/clipboard.ts'
import { onRealElectron } from './app.ts'
import { describeInLongSuite, testInLongSuite } from './support/long-suite.ts'
import { makeHome } from './support/home.ts'
import { openSettings } from './support/settings.ts'
import { share } from './support/share-app.ts'
import {
  stateOf,
  rows,
  type RunningApp,
  startApp,
  startWithBuiltIn,
  trayLines,
  WITHIN,
} from './support/start-app.ts'

const SHORTCUT = 'Control+Alt+C'
const SETTINGS = {
  closeToTraySaid: true,
  clipboardPreset: 'Web 2048',
  clipboardShortcut: SHORTCUT,
}

/** An image with noise, whose result is much smaller. */
const screenshot = async (width = 640): Promise<Uint8Array> => {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const
  const image = sharp({ create: { width, height: 400, channels: 3, background: 'teal', noise } })
  return new Uint8Array(await image.png().toBuffer())
}

const typesOn = async (app: RunningApp) => Object.keys(await app.clipboard.get())
const untilReady = (app: RunningApp) => expect.poll(() => typesOn(app), WITHIN).toContain('text/uri-list')
const resultOn = async (app: RunningApp): Promise<string> => {
  const { 'text/uri-list': list } = await app.clipboard.get()
  return fileURLToPath(new TextDecoder().decode(list as Uint8Array))
}

const OPENING = 'Control+Alt+M'
const shared = share(() =>
  startWithBuiltIn({
    takenShortcuts: ['Control+Alt+X'],
    settings: { ...SETTINGS, globalShortcut: OPENING },
  }),
)

describe('the clipboard', () => {
  test('is processed by a shortcut; the window shows the sizes, and undoes it', async () => {
    const app = await shared()
    const page = await app.page()
    const png = await screenshot()
    await app.clipboard.set({ 'image/png': png, 'text/html': '<img>' })
    await app.pressShortcut(SHORTCUT)
    const toast = page.getByRole('status').filter({ hasText: 'Ready to paste:' })
    await toast.waitFor()
    await expect
      .poll(() => toast.textContent(), WITHIN)
      .toMatch(/^Ready to paste: .* → .* with Web 2048Undo$/)
    const result = await resultOn(app)
    expect(readFileSync(result).length).toBeLessThan(png.length)
    expect(result).toContain(join(app.files.path, 'Pictures/Mediatray/'))
    expect((await app.clipboard.get())['image/png']).toBeDefined()
    expect(app.notifications.all()).toEqual([])
    expect(readdirSync(join(app.files.data, 'clipboard'))).toHaveLength(1)

    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The earlier clipboard content is back.').waitFor()
    expect((await typesOn(app)).toSorted()).toEqual(['app.mediatray.result', 'image/png', 'text/html'])

    await app.clipboard.set({ 'text/plain': 'text' })
    await app.pressShortcut(SHORTCUT)
    await page.getByText('There’s no image or file on the clipboard.').waitFor()
    expect(await typesOn(app)).toEqual(['text/plain'])
  })

  testInLongSuite(
    'is processed without a window, with a notification that undoes it or saves the result',
    async () => {
      await using app = await startWithBuiltIn({ platform: 'darwin', settings: SETTINGS })
      await app.closeWindow()
      await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
      await app.clipboard.set({ 'image/png': await screenshot() })
      await app.pressShortcut(SHORTCUT)
      const shown = await app.until('the notification', ({ notifications }) =>
        notifications.find(({ title }) => title.startsWith('Ready to paste: ')),
      )
      expect(shown.body).toMatch(/^Was .*\. Processed with Web 2048\.$/)
      expect(shown.actions).toEqual(['Undo', 'Save as…'])
      expect(app.notifications.all()).toHaveLength(1)

      const copy = join(app.files.path, 'saved.jpg')
      await app.dialogs.answerSave(copy)
      await app.notifications.action(shown.number, 1)
      await expect.poll(() => existsSync(copy), WITHIN).toBe(true)
      expect(readFileSync(copy)).toEqual(readFileSync(await resultOn(app)))
    },
  )

  test('is processed from the tray, and gets Undo in the window where notifications have no buttons', async () => {
    const app = await shared()
    await app.closeWindow()
    await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
    await app.clipboard.set({ 'image/png': await screenshot() })
    await app.tray.choose('Process clipboard with Web 2048')
    const shown = await app.until('the notification', ({ notifications }) => notifications[0])
    expect(shown.title).toMatch(/^Ready to paste: /)
    await app.notifications.click(shown.number)
    const page = await app.page()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => typesOn(app), WITHIN).toEqual(['image/png', 'app.mediatray.result'])
  })
})

// On a real desktop, the content belongs to the app that has copied, or to a clipboard manager.
if (!onRealElectron())
  testInLongSuite(
    'a kill between the copy and the result leaves the clipboard as it was, finishes the job after the restart, and leaves no original behind',
    async () => {
      using home = makeHome({ ...SETTINGS, connection: 'builtIn' })
      const clipboardFile = join(home.path, 'clipboard.json')
      const originals = join(home.data, 'clipboard')
      const names = () => (existsSync(originals) ? readdirSync(originals) : [])
      const copied = { 'image/png': await screenshot(3_840), 'application/x-own': new Uint8Array([1, 2, 3]) }
      {
        await using app = await startWithBuiltIn({ in: home, clipboardFile })
        await app.clipboard.set(copied)
        // The service doesn't respond, so the kill certainly comes before the result.
        const [service = 0] = childrenOf(app.pid, 'service/main.js')
        process.kill(service, 'SIGSTOP')
        await app.pressShortcut(SHORTCUT)
        await expect.poll(async () => (await stateOf(app)).outbox.length, WITHIN).toBe(1)
        await app.kill()
        process.kill(service, 'SIGKILL')
      }
      expect(readClipboardFile(clipboardFile)).toEqual(copied)
      {
        await using app = await startWithBuiltIn({ in: home, clipboardFile })
        const page = await app.page()
        await rows(page)
          .filter({ hasText: /1 photo, Web 2048/ })
          .waitFor()
        expect(readClipboardFile(clipboardFile)).toEqual(copied)
        expect(names()).toHaveLength(1)
        await app.kill()
      }
      const yesterday = new Date(Date.now() - 25 * 3_600_000)
      for (const name of names()) utimesSync(join(originals, name), yesterday, yesterday)
      await using app = await startApp({ in: home, clipboardFile })
      await expect.poll(names, WITHIN).toEqual([])
      expect(readClipboardFile(clipboardFile)).toEqual(copied)
      // The content that outlived the app can be processed again.
      await app.pressShortcut(SHORTCUT)
      await expect
        .poll(() => Object.keys(readClipboardFile(clipboardFile)), WITHIN)
        .toContain('text/uri-list')
    },
  )

describeInLongSuite('the settings of the clipboard', () => {
  test('choose the shortcut and the preset; a shortcut in use is reported', async () => {
    const app = await shared()
    const page = await app.page()
    await openSettings(page, 'Advanced > Clipboard')
    const field = page.getByRole('textbox', { name: 'Shortcut' })
    await field.press('Control+Alt+KeyX')
    await page.getByText('Ctrl + Alt + X is used by another app.').waitFor()
    await field.press('Control+Alt+KeyM')
    await page.getByText('Ctrl + Alt + M already opens Mediatray.').waitFor()
    await field.press('Control+Alt+KeyK')
    await app.until('both', ({ shortcuts }) => shortcuts.join() === `${OPENING},Control+Alt+K`)
    await page.locator('#clipboard-preset').click()
    await page.getByRole('option', { name: /^WebP 1600/ }).click()
    await app.until('the tray', () => trayLines(app).includes('Process clipboard with WebP 1600'))
    await app.clipboard.set({ 'image/png': await screenshot() })
    await app.pressShortcut('Control+Alt+K')
    await untilReady(app)
    expect(await resultOn(app)).toMatch(/\.webp$/)
    await field.press('Backspace')
    await app.until('one', ({ shortcuts }) => shortcuts.join() === OPENING)
  })
})

testInLongSuite('on Wayland, there is no automatic mode, and the settings say why', async () => {
  await using app = await startWithBuiltIn({
    env: { XDG_SESSION_TYPE: 'wayland' },
    settings: { ...SETTINGS, clipboardAutomatic: true },
  })
  const page = await app.page()
  await openSettings(page, 'Advanced > Clipboard')
  const automatic = page.getByRole('switch', { name: 'Process every copied image automatically' })
  await expect.poll(() => automatic.isDisabled(), WITHIN).toBe(true)
  expect(await automatic.isChecked()).toBe(false)
  await page.getByText('Not available on Wayland, where apps can’t see what other apps copy.').waitFor()
  await app.clipboard.set({ 'image/png': await screenshot() })
  await app.pressShortcut(SHORTCUT)
  await untilReady(app)
})

import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acceptsFiles } from '../e2e/support/start-app.ts'
import { startXDisplay } from '../main/desktop/clipboard/x-display.ts'
import { type App, launchApp } from './driver.ts'
import { isAlive } from './electron/single-instance.ts'
import { createWebContents, type WebContentsParts } from './electron/web-contents.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

const mainBundle = join(import.meta.dirname, 'fixture/main.ts')

/** What the fixture's preload exposes on `window`. */
type Fixture = {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>
  on(channel: string, listener: (value: unknown) => void): () => void
  pathForFile(file: unknown): string
  lacking(): void
}
declare global {
  interface Window {
    readonly fixture: Fixture
  }
}

let app: App
let page: Page
let files: string

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'mediatray-files-'))
  mkdirSync(join(files, 'folder'))
  writeFileSync(join(files, 'a.txt'), 'a')
  app = await launchApp({ mainBundle })
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  rmSync(files, { recursive: true, force: true })
})

test('the empty page of a new tab doesn’t count as the loaded page, even if it loads late', async () => {
  const browser = new EventEmitter()
  const cdp = Object.assign(browser, {
    send: () => Promise.resolve({ frameTree: { frame: { id: 'main' } } }),
  })
  const { loaded, page: opened } = createWebContents({
    chromium: { openPage: () => Promise.resolve({ cdp, onGone: () => undefined }) },
    schemes: { fromBrowser: (address: string) => address },
    platform: () => 'linux',
    onChange: () => undefined,
  } as unknown as WebContentsParts)
  await opened
  const load = (url: string) => {
    browser.emit('Page.frameNavigated', { frame: { url } })
    browser.emit('Page.loadEventFired')
    return loaded()
  }
  browser.emit('Page.loadEventFired')
  expect([loaded(), load('about:blank'), load('app://page/')]).toEqual([false, false, true])
})

test('files are dropped only on a page that listens for them', async () => {
  let isAccepted = false
  const accepted = acceptsFiles(page).then(() => (isAccepted = true))
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(isAccepted).toBe(false)
  await page.evaluate(() => {
    addEventListener('dragover', (event) => event.preventDefault(), { once: true })
  })
  await accepted
})

const heard = () => page.evaluate(() => window.fixture.invoke('heard'))
const shown = () => page.locator('#dropped li').allTextContents()
const clear = () => page.evaluate(() => document.querySelector('#dropped')?.replaceChildren())
const visibility = () => page.evaluate(() => document.visibilityState)
const focus = () => page.evaluate(() => document.hasFocus())
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing failed',
    (error: unknown) => String(error),
  )

describe('IPC', () => {
  test('carries everything that structured clone supports and keeps its type', async () => {
    const kinds = await page.evaluate(async () => {
      const values = [new Uint8Array([1, 2]), new Map([[1, 2]]), new Set(), new Date(0), undefined, -0, 10n]
      return await Promise.all(values.map((value) => window.fixture.invoke('describe', value)))
    })
    expect(kinds).toEqual(['Uint8Array(1,2)', 'Map', 'Set', 'Date', 'undefined', '0', '10'])
  })

  test('returns values unchanged, including nested arrays, dates and undefined properties', async () => {
    const same = await page.evaluate(async () => {
      const inner = { bytes: new Float64Array([1.5]), nothing: undefined }
      const given = (await window.fixture.invoke('echo', [
        inner,
        new Map([['when', new Date(5)]]),
      ])) as unknown[]
      const first = given[0] as typeof inner
      const when = given[1] as Map<string, Date>
      return [first.bytes[0], 'nothing' in first, when.get('when')?.getTime()]
    })
    expect(same).toEqual([1.5, true, 5])
  })

  test('rejects values that cannot be cloned', async () => {
    const refusal = page.evaluate(() => window.fixture.invoke('echo', new Map([[1, () => 1]])))
    expect(await failureOf(refusal)).toContain('could not be cloned')
  })

  test("passes an error as text only, worded like Electron's", async () => {
    const failed = page.evaluate(() => window.fixture.invoke('fail'))
    expect(await failureOf(failed)).toContain("Error invoking remote method 'fail': TypeError: no such thing")
    const unknown = page.evaluate(() => window.fixture.invoke('unknown'))
    expect(await failureOf(unknown)).toContain("No handler registered for 'unknown'")
  })

  test("passes the calling frame to the handler, with the app's own address", async () => {
    const sender = await page.evaluate(() => window.fixture.invoke('sender'))
    expect(sender).toEqual({
      url: 'app://fixture/page.html',
      origin: 'app://fixture',
      top: true,
      same: true,
    })
  })

  test('calls listeners that crossed the bridge until they are removed', async () => {
    const pushed = await page.evaluate(async () => {
      const came: unknown[] = []
      const end = window.fixture.on('pushed', (value) => came.push(value))
      await window.fixture.invoke('push', 1)
      await window.fixture.invoke('push', 2)
      end()
      await window.fixture.invoke('push', 3)
      return came
    })
    expect(pushed).toEqual([1, 2])
  })
})

describe('the page', () => {
  test('sees only what the preload exposes through the bridge, frozen', async () => {
    const seen = await page.evaluate(() => ({
      names: Object.getOwnPropertyNames(window).filter((name) =>
        /^(require|module|process|electron|ipcRenderer|leftByThePreload|standIn\w*|_.*)$/.test(name),
      ),
      frozen: Object.isFrozen(window.fixture),
      members: Object.keys(window.fixture).toSorted(),
    }))
    expect(seen).toEqual({
      names: [],
      frozen: true,
      members: ['facts', 'invoke', 'lacking', 'on', 'pathForFile'],
    })
  })

  test('has no bridge in a nested frame', async () => {
    const inFrame = await page.evaluate(() => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      return frame.contentWindow !== null && 'fixture' in frame.contentWindow
    })
    expect(inFrame).toBe(false)
  })

  test('obeys the policy that the scheme handler sends', async () => {
    expect(await page.evaluate(() => 'inlineRan' in window)).toBe(false)
    const evaluated = page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.body.append(script)
      return 'injected' in window
    })
    expect(await evaluated).toBe(false)
  })
})

describe('files', () => {
  test('dropped on the page have their real paths immediately, including folders', async () => {
    await clear()
    const dropped = [join(files, 'a.txt'), join(files, 'folder')]
    await app.dropFiles('#drop', dropped)
    await expect.poll(shown).toEqual(dropped)
  })

  test('dropped where the page does not accept them would navigate, so the app is asked first', async () => {
    await page.evaluate(() => {
      document.querySelector('#dropped')?.addEventListener('dragover', (event) => event.preventDefault())
      const item = document.createElement('li')
      item.textContent = 'a place to drop'
      document.querySelector('#dropped')?.append(item)
    })
    await app.dropFiles('#dropped', [join(files, 'a.txt')])
    await expect.poll(heard).toContainEqual(['will-navigate', `file://${join(files, 'a.txt')}`])
  })
})

describe('the desktop', () => {
  test('shows the tray with its icon, texts and menu, and runs a clicked item', async () => {
    const tray = app.tray.now()
    expect(tray?.icon).toMatch(/picture\.png$/)
    expect(tray?.toolTip).toBe('Fixture: idle')
    expect(tray?.menu.map((item) => item.label)).toEqual(['Open', 'Photos & more', 'Off', '', 'Quit'])
    await app.tray.choose('Photos & more', 'Newest')
    expect(await heard()).toContain('newest')
    await expect(app.tray.choose('Off')).rejects.toThrow("isn't enabled")
    await expect(app.tray.choose('Nowhere')).rejects.toThrow('No "Nowhere"')
  })

  test('garbage-collects a notification that the app does not keep', async () => {
    await page.evaluate(() => window.fixture.invoke('notify'))
    await expect(app.notifications.click(0)).rejects.toThrow('was garbage-collected')
  })

  test('shows a hidden window when it is maximized', async () => {
    expect(await page.evaluate(() => window.fixture.invoke('maximizeHidden'))).toBe(true)
    expect(app.windows()[0]).toMatchObject({ visible: true, maximized: true, focused: false })
    await app.focusWindow()
  })

  test('shows an uncaught error and keeps running; only warns about a rejection', async () => {
    await app.failInMain('rejection', 'unhandled rejection')
    await app.failInMain('exception', 'uncaught exception')
    const dialog = await app.until('the error', ({ dialogs }) => dialogs.find(({ kind }) => kind === 'error'))
    expect(dialog.options).toMatchObject({ title: 'A JavaScript error occurred in the main process' })
    expect(JSON.stringify(dialog.options)).toContain('uncaught exception')
    expect(app.log()).toContain('unhandled rejection')
  })

  test('lets the user resize a window', async () => {
    await app.resizeWindow({ width: 700, height: 500 })
    await expect.poll(() => page.evaluate(() => [innerWidth, innerHeight])).toEqual([700, 500])
  })

  test('reports a logoff', async () => {
    await app.endSession()
    expect(await heard()).toContain('session-end')
  })

  test('focuses a window and notifies its page', async () => {
    await expect.poll(focus).toBe(true)
    await app.blurWindow()
    await expect.poll(focus).toBe(false)
    await app.focusWindow()
    await expect.poll(focus).toBe(true)
  })

  test('reports dark mode, to the page as well', async () => {
    await app.setDark(true)
    await expect
      .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
      .toBe(true)
  })
})

describe('a missing member', () => {
  test('throws its name in the main process', async () => {
    const missing = page.evaluate(() => window.fixture.invoke('missing'))
    expect(await failureOf(missing)).toContain('The stand-in has no BrowserWindow.setFoo')
  })

  test('throws its name in the preload', async () => {
    const missing = page.evaluate(() => window.fixture.lacking())
    expect(await failureOf(missing)).toContain('The stand-in has no ipcRenderer.sendSync')
  })
})

describe('processes', () => {
  test('a minimized window is hidden to its page', async () => {
    await app.minimizeWindow()
    await expect.poll(visibility).toBe('hidden')
    await app.restoreWindow()
    await expect.poll(visibility).toBe('visible')
  })

  itInLongSuite(
    'a kill leaves nothing running, and the app starts again despite the stale lock',
    async () => {
      const { chromiumPid } = app.recorded()
      // Without the driver's own cleanup.
      process.kill(app.pid ?? Number.NaN, 'SIGKILL')
      await expect.poll(() => isAlive(chromiumPid ?? Number.NaN)).toBe(false)
      const { home } = app
      await using again = await launchApp({ mainBundle, home, platform: 'darwin' })
      const shown = await again.page()
      expect(await shown.evaluate(() => window.fixture.invoke('platform'))).toBe('darwin')
      await again.tray.dropFiles(['/tmp/x'])
      await again.openFile('/tmp/y')
      expect(await shown.evaluate(() => window.fixture.invoke('heard'))).toEqual([
        ['tray', ['/tmp/x']],
        ['open-file', '/tmp/y'],
      ])
      expect(await again.quit()).toBe(0)
      const profiles = readdirSync(join(home, '.config'), { recursive: true }).map(String)
      expect(profiles.filter((name) => name.includes(`chromium-${again.pid}`))).toEqual([])
    },
  )
})

itInLongSuite.skipIf(spawnSync('Xvfb', ['-help']).error !== undefined)(
  'with a visible window, the display has its real size',
  async () => {
    await using display = await startXDisplay()
    await using visible = await launchApp({
      mainBundle,
      env: { DISPLAY: display.name, WAYLAND_DISPLAY: '', MEDIATRAY_STAND_IN_VISIBLE: '1' },
    })
    const shownPage = await visible.page()
    expect(await shownPage.evaluate(() => window.fixture.invoke('displays'))).toEqual([
      { x: 0, y: 0, width: 320, height: 200 },
    ])
  },
)

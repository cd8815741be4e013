import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, launchApp } from './driver.ts'

const mainBundle = join(import.meta.dirname, 'fixture/main.ts')

/** What the fixture's preload puts on `window`. */
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
  test('carries what structured clone carries, and keeps its kind', async () => {
    const kinds = await page.evaluate(async () => {
      const values = [new Uint8Array([1, 2]), new Map([[1, 2]]), new Set(), new Date(0), undefined, -0, 10n]
      return await Promise.all(values.map((value) => window.fixture.invoke('describe', value)))
    })
    expect(kinds).toEqual(['Uint8Array(1,2)', 'Map', 'Set', 'Date', 'undefined', '0', '10'])
  })

  test('gives values back as they were, shared and circular ones too', async () => {
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

  test('refuses what cannot be cloned', async () => {
    const refusal = page.evaluate(() => window.fixture.invoke('echo', new Map([[1, () => 1]])))
    expect(await failureOf(refusal)).toContain('could not be cloned')
  })

  test('lets an error cross as its text only, in the words of Electron', async () => {
    const failed = page.evaluate(() => window.fixture.invoke('fail'))
    expect(await failureOf(failed)).toContain("Error invoking remote method 'fail': TypeError: no such thing")
    const unknown = page.evaluate(() => window.fixture.invoke('nobody'))
    expect(await failureOf(unknown)).toContain("No handler registered for 'nobody'")
  })

  test('tells the handler which frame called, by the address that the app knows', async () => {
    const sender = await page.evaluate(() => window.fixture.invoke('sender'))
    expect(sender).toEqual({
      url: 'app://fixture/page.html',
      origin: 'app://fixture',
      top: true,
      own: 1,
      same: true,
    })
  })

  test('shows a handler a foreign frame as foreign', async () => {
    const forged = await app.forgeInvoke('sender', [], { url: 'https://evil.example/x', subframe: true })
    expect(forged).toMatchObject({ value: { origin: 'https://evil.example', top: false } })
    expect(await app.forgeInvoke('sender', [], null)).toMatchObject({ value: { url: undefined } })
  })

  test('pushes to listeners that crossed the bridge, until they are taken off', async () => {
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
  test('sees nothing of the preload but what the bridge exposes, and that frozen', async () => {
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

  test('has no bridge in a frame within it', async () => {
    const inFrame = await page.evaluate(() => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      return frame.contentWindow !== null && 'fixture' in frame.contentWindow
    })
    expect(inFrame).toBe(false)
  })

  test('is held to the policy that the scheme handler sends', async () => {
    expect(await page.evaluate(() => 'inlineRan' in window)).toBe(false)
    const evaluated = page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.body.append(script)
      return 'injected' in window
    })
    expect(await evaluated).toBe(false)
  })

  test('gets pictures of the custom scheme', async () => {
    const width = await page.evaluate(
      () => document.querySelector<HTMLImageElement>('#picture')?.naturalWidth,
    )
    expect(width).toBe(22)
  })

  test('cannot go elsewhere or open a window unless the main process lets it', async () => {
    const opened = await page.evaluate(() => window.open('https://elsewhere.example/'))
    expect(opened).toBe(null)
    await page.evaluate(() => {
      const link = document.createElement('a')
      Object.assign(link, { href: 'https://linked.example/', target: '_blank' })
      document.body.append(link)
      link.click()
      link.remove()
      location.href = 'https://evil.example/'
    })
    await expect.poll(heard).toContainEqual(['will-navigate', 'https://evil.example/'])
    expect(await heard()).toContainEqual(['window.open', 'https://elsewhere.example/'])
    expect(await heard()).toContainEqual(['window.open', 'https://linked.example/'])
    expect(page.context().pages()).toHaveLength(1)
    expect(app.windows().map((window) => window.url)).toEqual(['app://fixture/page.html'])
  })

  test('is refused a permission by the handler', async () => {
    expect(await app.permission('media')).toBe(false)
  })
})

describe('files', () => {
  test('dropped on the page have their real paths at once, folders too', async () => {
    await clear()
    const dropped = [join(files, 'a.txt'), join(files, 'folder')]
    await app.dropFiles('#drop', dropped)
    await expect.poll(shown).toEqual(dropped)
  })

  test('chosen in a file field have them as well', async () => {
    await clear()
    await app.chooseFiles('#choose', [join(files, 'a.txt')])
    await expect.poll(shown).toEqual([join(files, 'a.txt')])
  })

  test('that were made by the page have none', async () => {
    expect(await page.evaluate(() => window.fixture.pathForFile(new File(['x'], 'a.txt')))).toBe('')
  })

  test('dropped where the page does not take them would navigate, and are asked about', async () => {
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

describe('paste', () => {
  test('of a file from the file manager has its path, of an image has none', async () => {
    await clear()
    await app.paste({ paths: [join(files, 'a.txt')] })
    await expect.poll(shown).toEqual([join(files, 'a.txt')])
    await clear()
    await app.paste({ images: [{ name: 'image.png', type: 'image/png', bytes: new Uint8Array([1, 2]) }] })
    await expect.poll(shown).toEqual([''])
  })
})

describe('the desktop', () => {
  test('shows the tray with its icon, words and menu, and a click does what it says', async () => {
    const tray = app.tray.now()
    expect(tray?.icon).toMatch(/picture\.png$/)
    expect(tray?.toolTip).toBe('Fixture: idle')
    expect(tray?.menu.map((item) => item.label)).toEqual(['Open', 'Photos & more', 'Off', '', 'Quit'])
    await app.tray.choose('Photos & more', 'Newest')
    expect(await heard()).toContain('newest')
    await expect(app.tray.choose('Off')).rejects.toThrow('not enabled')
    await expect(app.tray.choose('Nowhere')).rejects.toThrow('No "Nowhere"')
  })

  test('shows a notification, and a click on it arrives', async () => {
    await page.evaluate(() => window.fixture.invoke('notify', true))
    expect(app.notifications.all()).toMatchObject([{ title: 'Done', body: 'Three files', state: 'shown' }])
    await expect(app.notifications.action(0, 0)).rejects.toThrow('no buttons on Linux')
    await app.notifications.click(0)
    expect(await heard()).toContain('notification clicked')
  })

  test('lets go of a notification that the app has not kept', async () => {
    await page.evaluate(() => window.fixture.invoke('notify', false))
    await expect(app.notifications.click(1)).rejects.toThrow('was collected')
  })

  test('shows a hidden window that is maximised', async () => {
    expect(await page.evaluate(() => window.fixture.invoke('maximizeHidden'))).toBe(true)
    expect(app.windows()[0]).toMatchObject({ visible: true, maximized: true, focused: false })
    await app.focusWindow()
  })

  test('goes on after an error that nobody caught, and shows it; of a rejection it only warns', async () => {
    await app.failInMain('rejection', 'nobody handles this')
    await app.failInMain('exception', 'nobody catches this')
    const dialog = await app.until('the error', ({ dialogs }) => dialogs.find(({ kind }) => kind === 'error'))
    expect(dialog.options).toMatchObject({ title: 'A JavaScript error occurred in the main process' })
    expect(JSON.stringify(dialog.options)).toContain('nobody catches this')
    expect(app.log()).toContain('nobody handles this')
  })

  test('keeps a dialog open until it is answered', async () => {
    const chosen = page.evaluate(() => window.fixture.invoke('choose'))
    const dialog = await app.until('a dialog', ({ dialogs }) => dialogs.find((entry) => !entry.answered))
    expect(dialog.options).toMatchObject({ defaultPath: '/tmp' })
    await app.dialogs.answerOpen(['/tmp/x'])
    expect(await chosen).toEqual({ canceled: false, filePaths: ['/tmp/x'] })
  })

  test('has a size that a person can change', async () => {
    await app.resizeWindow({ width: 700, height: 500 })
    await expect.poll(() => page.evaluate(() => [innerWidth, innerHeight])).toEqual([700, 500])
  })

  test('remembers what was asked of it', async () => {
    await page.evaluate(() => window.fixture.invoke('reveal', '/tmp/result.jpg'))
    expect(app.shellCalls()).toEqual([{ call: 'showItemInFolder', target: '/tmp/result.jpg' }])
    expect(app.badge()).toBe(2)
    expect(app.progressBar()).toBe(0.5)
  })

  test('has one window with the focus, and its page knows', async () => {
    await expect.poll(focus).toBe(true)
    await app.blurWindow()
    await expect.poll(focus).toBe(false)
    await app.focusWindow()
    await expect.poll(focus).toBe(true)
  })

  test('sleeps', async () => {
    await app.power.suspend()
    expect(await heard()).toContain('suspend')
  })

  test('says that it is dark, to the page too', async () => {
    await app.setDark(true)
    await expect
      .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
      .toBe(true)
  })
})

describe('what is lacking', () => {
  test('throws by name in the main process', async () => {
    const missing = page.evaluate(() => window.fixture.invoke('missing'))
    expect(await failureOf(missing)).toContain('The stand-in has no BrowserWindow.setFoo')
  })

  test('throws by name in the preload', async () => {
    const missing = page.evaluate(() => window.fixture.lacking())
    expect(await failureOf(missing)).toContain('The stand-in has no ipcRenderer.sendSync')
  })
})

describe('processes', () => {
  test('a second instance tells the first and ends', async () => {
    const { code } = await app.secondInstance(['a b.jpg'])
    expect(code).toBe(0)
    await expect.poll(heard).toContainEqual(['second', { args: '["a b.jpg"]' }])
  })

  test('a window that is minimised is hidden to its page', async () => {
    await app.minimizeWindow()
    await expect.poll(visibility).toBe('hidden')
    await app.restoreWindow()
    await expect.poll(visibility).toBe('visible')
  })

  test('a page that dies is noticed, and the window can be closed and opened again', async () => {
    await app.crashRenderer()
    await app.until('the crash', ({ windows }) => windows[0]?.crashed)
    await app.closeWindow()
    expect(app.windows()).toEqual([])
    await app.until('Chromium to end with its last window', ({ chromiumPid }) => chromiumPid === null)
    await app.tray.choose('Open')
    page = await app.page()
    expect(await page.title()).toBe('Fixture')
  })

  test('nothing is left after a kill, and the app starts again over the lock that stayed', async () => {
    const { chromiumPid } = app.recorded()
    // Without the driver's own tidying.
    process.kill(app.pid ?? Number.NaN, 'SIGKILL')
    await expect.poll(() => isAlive(chromiumPid)).toBe(false)
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
  })
})

function isAlive(pid: number | null): boolean {
  try {
    process.kill(pid ?? Number.NaN, 0)
    return true
  } catch {
    return false
  }
}

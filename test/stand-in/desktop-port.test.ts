/**
 * Tests how specs see and use the desktop on the real runtime, which isn't available here: with a module of the same shape. Its classes have
 * their methods on the prototype, as Electron's native ones do, and its exports can't be replaced.
 */
import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import type { ElectronApplication } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { DESKTOP_PORT } from '../e2e/support/electron-launch.ts'
import { type ElectronDesktop, followDesktop } from '../e2e/support/electron-desktop.ts'

type Item = {
  label: string
  click?: () => void
  enabled?: boolean
  visible?: boolean
  submenu?: Item[]
  id?: string
}

class Menu {
  readonly items: readonly unknown[]
  static #application: Menu | null = null
  constructor(items: readonly Item[]) {
    this.items = items.map((item) => ({
      type: 'normal',
      enabled: true,
      visible: true,
      checked: false,
      click: () => undefined,
      ...item,
      submenu: item.submenu === undefined ? undefined : new Menu(item.submenu),
    }))
  }
  popup(): void {
    throw new Error('A menu that is open blocks the run')
  }
  static setApplicationMenu(menu: Menu | null): void {
    Menu.#application = menu
  }
  static getApplicationMenu(): Menu | null {
    return Menu.#application
  }
}

class Tray extends EventEmitter {
  #isDestroyed = false
  readonly calls: string[] = []
  setImage(_image: object): void {
    this.calls.push('setImage')
  }
  setToolTip(_text: string): void {
    this.calls.push('setToolTip')
  }
  setContextMenu(_menu: Menu): void {
    this.calls.push('setContextMenu')
  }
  popUpContextMenu(): void {
    throw new Error('A menu that is open blocks the run')
  }
  displayBalloon(): void {}
  removeBalloon(): void {}
  destroy(): void {
    this.#isDestroyed = true
  }
  isDestroyed(): boolean {
    return this.#isDestroyed
  }
}

class Notification extends EventEmitter {
  readonly title: string
  readonly body = 'body'
  readonly actions: readonly { readonly text: string }[] = [{ text: 'Show in folder' }]
  constructor({ title }: { readonly title: string }) {
    super()
    this.title = title
  }
  static isSupported(): boolean {
    return false
  }
  show(): void {
    throw new Error('No notification server is available')
  }
  close(): void {}
}

class BrowserWindow {
  readonly id = 1
  readonly webContents = { getURL: () => 'app://window', isLoading: () => false, isCrashed: () => false }
  isVisible = (): boolean => true
  isFocused = (): boolean => true
  isMinimized = (): boolean => false
  isMaximized = (): boolean => false
  isFullScreen = (): boolean => false
  getBounds = () => ({ x: 0, y: 0, width: 800, height: 600 })
  setProgressBar(_value: number): void {}
  static getAllWindows = (): readonly BrowserWindow[] => [shownWindow]
  static getFocusedWindow = (): BrowserWindow => shownWindow
}
const shownWindow = new BrowserWindow()

const unavailable = (): never => {
  throw new Error('This would open something on the desktop')
}

function createElectron() {
  return {
    app: Object.assign(new EventEmitter(), { isReady: () => true, getBadgeCount: () => 3 }),
    BrowserWindow,
    Menu: class extends Menu {},
    Notification: class extends Notification {},
    Tray: class extends Tray {},
    dialog: {
      showOpenDialog: unavailable as (...args: unknown[]) => Promise<unknown>,
      showSaveDialog: unavailable as (...args: unknown[]) => Promise<unknown>,
      showMessageBox: unavailable as (...args: unknown[]) => Promise<unknown>,
      showErrorBox: unavailable as (...args: unknown[]) => void,
    },
    globalShortcut: {
      register: (accelerator: string, _pressed: () => void) => accelerator !== 'Taken',
      unregister: (_accelerator: string) => undefined,
      unregisterAll: () => undefined,
    },
    nativeImage: { createFromPath: (_path: string) => ({}) },
    powerSaveBlocker: { start: () => 7, stop: (_id: number) => true },
    shell: {
      openExternal: unavailable as (url: string) => Promise<void>,
      openPath: unavailable as (path: string) => Promise<string>,
      showItemInFolder: unavailable as (path: string) => void,
      beep: unavailable as () => void,
    },
  }
}

const { createDesktopPort } = createRequire(import.meta.url)(DESKTOP_PORT)
const leave = (reason: string): never => {
  throw new Error(`left because of ${reason}`)
}

let electron: ReturnType<typeof createElectron>
let desktop: ElectronDesktop
let end: () => void

async function connect(platform = 'linux'): Promise<void> {
  let isReady = false
  electron = createElectron()
  const { globalShortcut } = electron
  globalThis.mediatrayDesktopPort = createDesktopPort(
    {
      ...electron,
      get globalShortcut() {
        if (!isReady) throw new Error('globalShortcut cannot be used before the app is ready')
        return globalShortcut
      },
    },
    platform,
  )
  isReady = true
  electron.app.emit('ready')
  // Like Playwright, which sends arguments and results as data.
  const evaluate = async (call: (modules: unknown, argument: unknown) => unknown, argument: unknown) =>
    structuredClone(await call(electron, structuredClone(argument)))
  const { promise, resolve } = Promise.withResolvers<void>()
  end = resolve
  desktop = await followDesktop({ evaluate } as unknown as ElectronApplication, leave, {
    ended: promise,
    log: () => 'the log',
  })
}

beforeEach(async () => {
  await connect()
  return () => end()
})

describe('the desktop of the real runtime', () => {
  test('shows the tray and its menu, and clicks a line in it', async () => {
    electron.nativeImage.createFromPath('C:\\icons\\idle.png')
    const tray = new electron.Tray()
    tray.setToolTip('Mediatray')
    const chosen = Promise.withResolvers<void>()
    const lines = [
      { label: '&Quit' },
      { label: 'Presets', submenu: [{ label: 'Web', click: chosen.resolve }] },
    ]
    tray.setContextMenu(new electron.Menu(lines))
    expect(tray.calls).toEqual(['setToolTip', 'setContextMenu'])
    await desktop.until('the tray', ({ trays }) => trays.length === 1)
    expect(desktop.tray.now()).toMatchObject({
      toolTip: 'Mediatray',
      menu: [{ label: 'Quit' }, { label: 'Presets' }],
    })
    await desktop.tray.choose('Presets', 'Web')
    await chosen.promise
    await expect(desktop.tray.choose('Presets', 'Print')).rejects.toThrow('No "Print" in this menu: Web')
    expect(desktop.tray.now()).toMatchObject({ icon: 'C:/icons/idle.png', iconChanges: 0 })
    tray.setImage(electron.nativeImage.createFromPath('/icons/busy.png'))
    await desktop.until('another icon', ({ trays }) => trays[0]?.icon === '/icons/busy.png')
    expect(desktop.tray.now()?.iconChanges).toBe(1)
    const clicked = once(tray, 'click')
    await desktop.tray.click()
    await clicked
    tray.destroy()
    await desktop.until('no tray', ({ trays }) => trays.length === 0)
    await expect(desktop.tray.click()).rejects.toThrow('no tray')
  })

  test('shows a menu instead of opening it, and the menu bar', async () => {
    new electron.Menu([{ label: 'Copy' }]).popup()
    electron.Menu.setApplicationMenu(new electron.Menu([{ label: 'File', enabled: false }]))
    await desktop.until('the menus', ({ popupMenu, applicationMenu }) => popupMenu && applicationMenu)
    expect(desktop.recorded().popupMenu).toMatchObject([{ label: 'Copy' }])
    await expect(desktop.menu.choose('File')).rejects.toThrow("isn't enabled")
  })

  test('shows notifications and uses them', async () => {
    expect(electron.Notification.isSupported()).toBe(true)
    const notification = new electron.Notification({ title: '3 photos are ready' })
    const shown = once(notification, 'show')
    notification.show()
    await shown
    await desktop.until('it', ({ notifications }) => notifications.length === 1)
    expect(desktop.notifications.all()).toEqual([
      {
        number: 0,
        title: '3 photos are ready',
        body: 'body',
        silent: false,
        actions: ['Show in folder'],
        state: 'shown',
      },
    ])
    const acted = once(notification, 'action')
    await desktop.notifications.action(0, 0)
    expect((await acted)[0]).toMatchObject({ actionIndex: 0 })
    await desktop.until('its end', ({ notifications }) => notifications[0]?.state === 'closed')
    await expect(desktop.notifications.click(1)).rejects.toThrow('There is no notification 1')
  })

  test('answers dialogs before and after they open', async () => {
    await desktop.dialogs.answerOpen(['/a.jpg'])
    expect(await electron.dialog.showOpenDialog({ title: 'Choose' })).toEqual({
      canceled: false,
      filePaths: ['/a.jpg'],
    })
    const asked = electron.dialog.showMessageBox(shownWindow, { message: 'Really?', icon: {} })
    await desktop.until('the question', ({ dialogs }) => dialogs.some(({ answered }) => !answered))
    expect(desktop.dialogs.all()[1]).toEqual({
      number: 1,
      kind: 'message',
      options: { message: 'Really?' },
      parent: 1,
      answered: false,
    })
    await desktop.dialogs.answerMessage(1)
    expect(await asked).toEqual({ response: 1, checkboxChecked: false })
    await desktop.dialogs.dismiss('save')
    expect(await electron.dialog.showSaveDialog({})).toEqual({ canceled: true, filePath: '' })
  })

  test('records what would leave the app, badge, progress and shortcuts', async () => {
    const pressed = Promise.withResolvers<void>()
    expect(electron.globalShortcut.register('Ctrl+M', pressed.resolve)).toBe(true)
    electron.globalShortcut.register('Taken', () => undefined)
    electron.powerSaveBlocker.start()
    shownWindow.setProgressBar(0.5)
    electron.shell.showItemInFolder('/a.jpg')
    void electron.shell.openPath('/b.jpg')
    electron.shell.beep()
    await desktop.until('the calls', ({ shellCalls }) => shellCalls.length === 3)
    expect(desktop.recorded()).toMatchObject({
      shellCalls: [
        { call: 'showItemInFolder', target: '/a.jpg' },
        { call: 'openPath', target: '/b.jpg' },
        { call: 'beep', target: '' },
      ],
      shortcuts: ['Ctrl+M'],
      powerBlockers: 1,
      badge: 3,
    })
    expect(desktop.badge()).toBe(3)
    expect(desktop.progressBar()).toBe(0.5)
    await desktop.pressShortcut('Ctrl+M')
    await pressed.promise
    await expect(desktop.pressShortcut('Taken')).rejects.toThrow("isn't registered")
  })

  test('ends a spec that reads what only the stand-in records', async () => {
    expect(() => desktop.recorded().startMenu).toThrow('left because of recorded.startMenu')
    expect(() => desktop.windows()[0]?.targetId).toThrow('left because of window.targetId')
    await expect(desktop.until('it', ({ chromiumPid }) => chromiumPid)).rejects.toThrow(
      'recorded.chromiumPid',
    )
    const tray = new electron.Tray()
    tray.setToolTip('Mediatray')
    await desktop.until('the tray', ({ trays }) => trays[0])
    expect(() => desktop.recorded().trays[0]?.id).toThrow('left because of tray.id')
    end()
    await connect('win32')
    expect(electron.Notification.isSupported()).toBe(false)
    expect(() => desktop.notifications.all()).toThrow('left because of recorded.notifications')
  })

  test('fails with the log if the app exits while a spec waits', async () => {
    const waiting = desktop.until('a miracle', () => false)
    end()
    await expect(waiting).rejects.toThrow('exited while waiting for a miracle.\nthe log')
  })
})

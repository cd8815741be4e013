/** `BrowserWindow`: shown, hidden, placed and closed as the main process says, around a page in Chromium. */
import { EventEmitter, once } from 'node:events'
import type * as Electron from 'electron'
import type { Rectangle, RecordedWindow } from '../recorded.ts'
import { lacking, onlyEvents, preventable } from './lacking.ts'
import {
  type StandInWebContents,
  type WebContentsControl,
  createWebContents,
  type WebContentsParts,
} from './web-contents.ts'

export type WindowsParts = Pick<WebContentsParts, 'platform' | 'chromium' | 'schemes' | 'ipc' | 'session'> & {
  readonly visible: boolean
  /** false: as on some Wayland desktops, `ready-to-show` never comes. */
  readonly readyToShow: boolean
  readonly dark: () => boolean
  readonly onChange: (windows: readonly RecordedWindow[]) => void
  /** Of the whole app, as the Dock of macOS and the docks of Linux have it. */
  readonly onAppProgress: (progress: number, mode: string | null) => void
  /** To the app: `browser-window-created` and its like. */
  readonly emitApp: (event: string, ...args: unknown[]) => void
}

const EVENTS = [
  'ready-to-show', 'show', 'hide', 'focus', 'blur', 'close', 'closed', 'resize', 'resized', 'move', 'moved', 'minimize', 'restore',
  'maximize', 'unmaximize', 'page-title-updated', 'enter-full-screen', 'leave-full-screen', 'unresponsive', 'responsive',
  'session-end', 'query-session-end', 'system-context-menu', 'app-command',
] // prettier-ignore

/** What decides about safety is asked for: a window that leaves it out or opens a hole is refused. */
function checkPreferences(preferences: Electron.WebPreferences): void {
  const wrong = [
    preferences.contextIsolation === false && 'contextIsolation: false',
    preferences.sandbox === false && 'sandbox: false',
    preferences.nodeIntegration === true && 'nodeIntegration: true',
    preferences.webviewTag === true && 'webviewTag: true',
    preferences.webSecurity === false && 'webSecurity: false',
  ].filter((text) => text !== false)
  if (wrong.length > 0) throw new Error(`The stand-in opens no window with ${wrong.join(', ')}`)
}

/** Compared with Electron's own types. */
type Checked = Pick<
  Electron.BrowserWindow,
  | 'id' | 'loadURL' | 'reload' | 'show' | 'showInactive' | 'hide' | 'focus' | 'blur' | 'minimize' | 'restore' | 'moveTop' | 'maximize' | 'unmaximize'
  | 'isVisible' | 'isFocused' | 'isMinimized' | 'isMaximized' | 'isFullScreen' | 'isDestroyed' | 'close' | 'destroy' | 'getBounds'
  | 'getNormalBounds' | 'getContentBounds' | 'getSize' | 'getPosition' | 'getMinimumSize' | 'setMinimumSize' | 'setBounds' | 'setSize'
  | 'setPosition' | 'center' | 'getTitle' | 'setTitle' | 'setProgressBar' | 'flashFrame' | 'setMenu' | 'removeMenu'
  | 'setMenuBarVisibility' | 'setAutoHideMenuBar' | 'setIcon' | 'setSkipTaskbar' | 'setAlwaysOnTop' | 'setVisibleOnAllWorkspaces'
  | 'setBackgroundColor' | 'setTitleBarOverlay' | 'setOverlayIcon' | 'setThumbarButtons' | 'setRepresentedFilename' | 'setContentProtection'
> // prettier-ignore

export function createBrowserWindows(parts: WindowsParts) {
  const windows = new Map<number, Window>()
  const changed = () => parts.onChange([...windows.values()].map((window) => window.standIn.recorded()))

  type Inner = {
    recorded(): RecordedWindow
    readonly contents: WebContentsControl
    readonly person: Person
    /** The overlay of its button in the taskbar of Windows. */
    setBadge(count: number): void
  }
  /** What a person or the window system does to a window. */
  type Person = {
    close(): void
    focus(): void
    blur(): void
    minimize(): void
    restore(): void
    crash(): Promise<void>
    resize(bounds: Partial<Rectangle>): void
    applyTheme(): Promise<void>
  }

  let nextId = 1

  class Window extends EventEmitter implements Checked {
    readonly id = nextId++
    readonly webContents: StandInWebContents
    /** The stand-in's own side; not part of Electron. */
    readonly standIn: Inner
    #bounds: Rectangle
    #visible: boolean
    #focused = false
    #minimized = false
    #maximized = false
    #destroyed = false
    #title: string
    #progress = -1
    #progressMode: string | null = null
    #badge = 0
    #flashing = false
    #minimumSize: [number, number]
    readonly #drags: (readonly string[])[] = []

    constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
      super()
      const preferences = options.webPreferences ?? {}
      checkPreferences(preferences)
      onlyEvents('BrowserWindow', this, EVENTS)
      this.#bounds = {
        x: options.x ?? 100,
        y: options.y ?? 80,
        width: options.width ?? 800,
        height: options.height ?? 600,
      }
      this.#minimumSize = [options.minWidth ?? 0, options.minHeight ?? 0]
      this.#visible = options.show ?? true
      this.#focused = this.#visible
      this.#title = options.title ?? 'Electron'
      const contents = createWebContents({
        id: this.id,
        preload: preferences.preload,
        platform: parts.platform,
        chromium: parts.chromium,
        schemes: parts.schemes,
        ipc: parts.ipc,
        session: parts.session,
        onChange: changed,
        onGone: () => this.destroy(),
        onCrash: (crashed, details) =>
          parts.emitApp('render-process-gone', preventable({}), crashed, details),
        onTitle: (title) => this.#titled(title),
        onDrag: (files) => {
          this.#drags.push(files)
          changed()
        },
      })
      this.webContents = contents.webContents
      this.standIn = {
        contents,
        recorded: () => this.#recorded(contents, preferences),
        person: this.#person(contents),
        setBadge: (count) => {
          if (this.#visible) this.#badge = count
          changed()
        },
      }
      const self = lacking('BrowserWindow', this)
      windows.set(this.id, self)
      void this.#place()
      void this.standIn.person.applyTheme()
      void this.#tellFocus()
      if (parts.readyToShow)
        contents.webContents.once('did-finish-load', () => this.emit('ready-to-show', preventable({})))
      parts.emitApp('browser-window-created', preventable({}), self)
      parts.emitApp('web-contents-created', preventable({}), this.webContents)
      changed()
      return self
    }

    static getAllWindows = () => [...windows.values()]
    static fromId = (id: number) => windows.get(id) ?? null
    static getFocusedWindow = () => [...windows.values()].find((window) => window.isFocused()) ?? null
    static fromWebContents = (contents: { readonly id: number }) => windows.get(contents.id) ?? null

    loadURL = (url: string) => this.webContents.loadURL(url)
    reload = () => this.webContents.reload()
    show = () => {
      this.showInactive()
      this.focus()
    }
    showInactive = () => {
      if (this.#visible && !this.#minimized) return
      const wasMinimized = this.#minimized
      this.#visible = true
      this.#minimized = false
      void this.#windowState('normal')
      this.emit(wasMinimized ? 'restore' : 'show', preventable({}))
      changed()
    }
    hide = () => {
      if (!this.#visible) return
      this.blur()
      this.#visible = false
      this.#leaveTaskbar()
      void this.#windowState('minimized')
      this.emit('hide', preventable({}))
      changed()
    }
    focus = () => {
      if (this.#focused || !this.#visible) return
      for (const window of windows.values()) if (window.id !== this.id) window.blur()
      this.#focused = true
      void this.#tellFocus()
      this.emit('focus', preventable({}))
      parts.emitApp('browser-window-focus', preventable({}), windows.get(this.id))
      changed()
    }
    blur = () => {
      if (!this.#focused) return
      this.#focused = false
      void this.#tellFocus()
      this.emit('blur', preventable({}))
      parts.emitApp('browser-window-blur', preventable({}), windows.get(this.id))
      changed()
    }
    minimize = () => {
      if (this.#minimized) return
      this.blur()
      this.#minimized = true
      void this.#windowState('minimized')
      this.emit('minimize', preventable({}))
      changed()
    }
    restore = () => {
      if (this.#minimized) this.showInactive()
    }
    moveTop = () => {}
    /** Shows a hidden window as well, whether or not its page was painted. */
    maximize = () => {
      this.#maximized = true
      this.showInactive()
      this.emit('maximize', preventable({}))
      changed()
    }
    unmaximize = () => {
      this.#maximized = false
      this.emit('unmaximize', preventable({}))
    }
    isVisible = () => this.#visible && !this.#destroyed
    isFocused = () => this.#focused
    isMinimized = () => this.#minimized
    isMaximized = () => this.#maximized
    isFullScreen = () => false
    isDestroyed = () => this.#destroyed

    /** As the button in the title bar does: it can be prevented. */
    close = () => {
      if (this.#destroyed) return
      const event = preventable({})
      this.emit('close', event)
      if (!event.defaultPrevented) this.destroy()
    }
    destroy = () => {
      if (this.#destroyed) return
      this.#destroyed = true
      this.#visible = false
      this.#focused = false
      windows.delete(this.id)
      void this.standIn.contents.end()
      this.emit('closed', preventable({}))
      changed()
      if (windows.size === 0) parts.emitApp('window-all-closed')
    }

    getBounds = () => ({ ...this.#bounds })
    getNormalBounds = () => ({ ...this.#bounds })
    getContentBounds = () => ({ ...this.#bounds })
    getSize = () => [this.#bounds.width, this.#bounds.height]
    getPosition = () => [this.#bounds.x, this.#bounds.y]
    getMinimumSize = () => [...this.#minimumSize]
    setMinimumSize = (width: number, height: number) => {
      this.#minimumSize = [width, height]
    }
    setBounds = (bounds: Partial<Rectangle>) => {
      const before = this.#bounds
      const [minWidth, minHeight] = this.#minimumSize
      const wanted = { ...before, ...bounds }
      this.#bounds = {
        ...wanted,
        width: Math.max(wanted.width, minWidth),
        height: Math.max(wanted.height, minHeight),
      }
      const now = this.#bounds
      void this.#place()
      if (now.width !== before.width || now.height !== before.height) this.emit('resize', preventable({}))
      if (now.x !== before.x || now.y !== before.y) this.emit('move', preventable({}))
      changed()
    }
    setSize = (width: number, height: number) => this.setBounds({ width, height })
    setPosition = (x: number, y: number) => this.setBounds({ x, y })
    center = () => {}
    getTitle = () => this.#title
    setTitle = (title: string) => {
      this.#title = title
      changed()
    }
    setProgressBar = (progress: number, options?: Electron.ProgressBarOptions) => {
      const mode = options?.mode ?? null
      if (parts.platform() !== 'win32') return parts.onAppProgress(progress, mode)
      if (!this.#visible) return
      this.#progress = progress
      this.#progressMode = mode
      changed()
    }
    flashFrame = (flag: boolean) => {
      this.#flashing = flag
      changed()
    }
    setMenu = () => {}
    removeMenu = () => {}
    setMenuBarVisibility = () => {}
    setAutoHideMenuBar = () => {}
    setIcon = () => {}
    setSkipTaskbar = () => {}
    setAlwaysOnTop = () => {}
    setVisibleOnAllWorkspaces = () => {}
    setBackgroundColor = () => {}
    setTitleBarOverlay = () => {}
    setOverlayIcon = () => {}
    setThumbarButtons = () => true
    setRepresentedFilename = () => {}
    setContentProtection = () => {}

    /** Windows takes the button of a hidden window off the taskbar, and what was drawn on it with it. */
    #leaveTaskbar() {
      this.#progress = -1
      this.#progressMode = null
      this.#badge = 0
    }

    #titled(title: string) {
      const event = preventable({})
      this.emit('page-title-updated', event, title, true)
      if (!event.defaultPrevented) this.#title = title
    }

    #recorded(contents: WebContentsControl, preferences: Electron.WebPreferences): RecordedWindow {
      return {
        id: this.id,
        title: this.#title,
        url: contents.webContents.getURL(),
        visible: this.#visible,
        focused: this.#focused,
        minimized: this.#minimized,
        bounds: this.#bounds,
        progress: this.#progress,
        progressMode: this.#progressMode,
        badge: this.#badge,
        maximized: this.#maximized,
        flashing: this.#flashing,
        loaded: contents.loaded(),
        crashed: contents.webContents.isCrashed(),
        targetId: contents.targetId(),
        webPreferences: { ...preferences },
        drags: [...this.#drags],
      }
    }

    #person(contents: WebContentsControl): Person {
      return {
        close: () => this.close(),
        focus: () => this.focus(),
        blur: () => this.blur(),
        minimize: () => this.minimize(),
        restore: () => this.restore(),
        resize: (bounds) => this.setBounds(bounds),
        async crash() {
          const { cdp } = await contents.page
          const gone = once(contents.webContents, 'render-process-gone')
          // It never answers: the page that should is gone.
          cdp.send('Page.crash').catch(() => {})
          await gone
        },
        async applyTheme() {
          const { cdp } = await contents.page
          const value = parts.dark() ? 'dark' : 'light'
          await cdp
            .send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] })
            .catch(() => {})
        },
      }
    }

    async #place() {
      const { width, height, x: left, y: top } = this.#bounds
      const { cdp, browser, targetId } = await this.standIn.contents.page
      if (parts.visible) {
        const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId })
        await browser.send('Browser.setWindowBounds', { windowId, bounds: { left, top, width, height } })
      } else {
        const metrics = { width, height, deviceScaleFactor: 0, mobile: false }
        await cdp.send('Emulation.setDeviceMetricsOverride', metrics).catch(() => {})
      }
    }

    async #tellFocus() {
      const { cdp } = await this.standIn.contents.page
      await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: this.#focused }).catch(() => {})
    }

    /** In Chromium a hidden window is a minimised one: the page sees the same `visibilityState`. */
    async #windowState(windowState: 'normal' | 'minimized') {
      const { browser, targetId } = await this.standIn.contents.page
      try {
        const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId })
        await browser.send('Browser.setWindowBounds', { windowId, bounds: { windowState } })
      } catch {
        // The window has gone meanwhile.
      }
    }
  }

  return {
    BrowserWindow: lacking('BrowserWindow', Window),
    byId: (id: number) => windows.get(id) ?? [...windows.values()][0],
    all: () => [...windows.values()],
  }
}

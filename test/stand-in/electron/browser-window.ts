/** `BrowserWindow` for a page in Chromium, which the main process shows, hides, positions and closes. */
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
  /** Whether `ready-to-show` fires. On some Wayland desktops it never does. */
  readonly readyToShow: boolean
  readonly dark: () => boolean
  readonly onChange: (windows: readonly RecordedWindow[]) => void
  /** Called with the progress of the whole app, which the Dock on macOS and docks on Linux show. */
  readonly onAppProgress: (progress: number) => void
  readonly onCloseCancelled: () => void
  /** Emits app events such as `web-contents-created`. */
  readonly emitApp: (event: string, ...args: unknown[]) => void
}

const EVENTS = [
  'ready-to-show', 'show', 'hide', 'focus', 'blur', 'close', 'closed', 'restore', 'enter-full-screen', 'leave-full-screen',
  'session-end',
] // prettier-ignore

/** Refuses a window with an unsafe security preference. Preferences that it omits are safe by default in Electron. */
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

/** Duration of a full-screen transition on macOS; here just long enough not to be immediate. */
const TRANSITION_MS = 100

/** The members that are checked against Electron's own types. */
type Checked = Pick<
  Electron.BrowserWindow,
  | 'id' | 'loadURL' | 'reload' | 'show' | 'hide' | 'focus' | 'blur' | 'minimize' | 'restore' | 'maximize' | 'isVisible' | 'isFocused' | 'isMinimized'
  | 'isMaximized' | 'isFullScreen' | 'setFullScreen' | 'isDestroyed' | 'close' | 'destroy' | 'getNormalBounds' | 'setBounds' | 'setProgressBar'
> // prettier-ignore

export function createBrowserWindows(parts: WindowsParts) {
  const windows = new Map<number, Window>()
  const changed = () => parts.onChange([...windows.values()].map((window) => window.standIn.recorded()))

  type Inner = {
    recorded(): RecordedWindow
    readonly contents: WebContentsControl
    readonly user: UserActions
    /** Sets the overlay of the window's taskbar button on Windows. */
    setBadge(count: number): void
  }
  /** Actions of the user or the window system. */
  type UserActions = {
    close(): void
    focus(): void
    blur(): void
    minimize(): void
    restore(): void
    /** Clicks the green button on macOS. */
    toggleFullScreen(): void
    /** Logs off from Windows. */
    endSession(): void
    crash(): Promise<void>
    resize(bounds: Partial<Rectangle>): void
    applyTheme(): Promise<void>
  }

  let nextId = 1

  class Window extends EventEmitter implements Checked {
    readonly id = nextId++
    readonly webContents: StandInWebContents
    /** The stand-in's own API, not part of Electron. */
    readonly standIn: Inner
    #bounds: Rectangle
    #visible: boolean
    #focused = false
    #minimized = false
    #maximized = false
    #fullScreen = false
    /** Pending full-screen transitions on macOS, in order: whether each one enters full screen. */
    readonly #transitions: boolean[] = []
    #closesAfterTransition = false
    #blackSpace = false
    #toldVisible = false
    #destroyed = false
    #progress = -1
    #badge = 0
    readonly #minimumSize: readonly [number, number]

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
      this.#toldVisible = this.#visible
      this.#focused = this.#visible
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
      })
      this.webContents = contents.webContents
      this.standIn = {
        contents,
        recorded: () => this.#recorded(contents, preferences),
        user: this.#userActions(contents),
        setBadge: (count) => {
          if (this.#visible) this.#badge = count
          changed()
        },
      }
      const self = lacking('BrowserWindow', this)
      windows.set(this.id, self)
      void this.#place()
      void this.standIn.user.applyTheme()
      void this.#tellFocus()
      if (parts.readyToShow)
        contents.webContents.once('did-finish-load', () => this.emit('ready-to-show', preventable({})))
      parts.emitApp('web-contents-created', preventable({}), this.webContents)
      changed()
      return self
    }

    static getAllWindows = () => [...windows.values()]

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
      if (wasMinimized) this.emit('restore', preventable({}))
      else this.#tellVisibility('show')
      changed()
    }
    hide = () => {
      if (!this.#visible) return
      this.blur()
      this.#visible = false
      this.#blackSpace ||= this.#fullScreen && parts.platform() === 'darwin'
      this.#leaveTaskbar()
      void this.#windowState('minimized')
      this.#tellVisibility('hide')
      changed()
    }
    focus = () => {
      if (this.#focused || !this.#visible) return
      for (const window of windows.values()) if (window.id !== this.id) window.blur()
      this.#focused = true
      void this.#tellFocus()
      this.emit('focus', preventable({}))
      changed()
    }
    blur = () => {
      if (!this.#focused) return
      this.#focused = false
      void this.#tellFocus()
      this.emit('blur', preventable({}))
      changed()
    }
    minimize = () => {
      if (this.#minimized) return
      this.blur()
      this.#minimized = true
      void this.#windowState('minimized')
      changed()
    }
    restore = () => {
      if (this.#minimized) this.showInactive()
    }
    /** Also shows a hidden window, even if its page hasn't been painted. */
    maximize = () => {
      this.#maximized = true
      this.showInactive()
      changed()
    }
    isVisible = () => this.#visible && !this.#destroyed && !(this.#minimized && parts.platform() !== 'linux')
    isFocused = () => this.#focused
    isMinimized = () => this.#minimized
    isMaximized = () => this.#maximized
    isFullScreen = () => this.#fullScreen
    /** On macOS the transition takes time, and later requests wait for it. */
    setFullScreen = (flag: boolean) => {
      if (parts.platform() !== 'darwin') return this.#enterFullScreen(flag)
      if ((this.#transitions.at(-1) ?? this.#fullScreen) === flag) return
      this.#transitions.push(flag)
      if (this.#transitions.length === 1) setTimeout(this.#endTransition, TRANSITION_MS)
    }
    isDestroyed = () => this.#destroyed

    /** Closes the window as the button in the title bar does: the app can prevent it. */
    close = () => {
      if (this.#destroyed) return
      this.#closesAfterTransition = this.#transitions.length > 0
      if (this.#closesAfterTransition) return
      const event = preventable({})
      this.emit('close', event)
      if (event.defaultPrevented) parts.onCloseCancelled()
      else this.destroy()
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

    getNormalBounds = () => ({ ...this.#bounds })
    setBounds = (bounds: Partial<Rectangle>) => {
      const [minWidth, minHeight] = this.#minimumSize
      const wanted = { ...this.#bounds, ...bounds }
      this.#bounds = {
        ...wanted,
        width: Math.max(wanted.width, minWidth),
        height: Math.max(wanted.height, minHeight),
      }
      void this.#place()
      changed()
    }
    setProgressBar = (progress: number) => {
      if (parts.platform() !== 'win32') return parts.onAppProgress(progress)
      if (!this.#visible) return
      this.#progress = progress
      changed()
    }

    #enterFullScreen(flag: boolean) {
      if (this.#fullScreen === flag || this.#destroyed) return
      this.#fullScreen = flag
      this.emit(flag ? 'enter-full-screen' : 'leave-full-screen', preventable({}))
      changed()
    }
    readonly #endTransition = () => {
      const flag = this.#transitions.shift()
      if (this.#destroyed || flag === undefined) return
      this.#enterFullScreen(flag)
      if (this.#transitions.length > 0) setTimeout(this.#endTransition, TRANSITION_MS)
      else if (this.#closesAfterTransition) this.close()
    }

    /** On macOS both events are delayed and report whether the window is visible. */
    #tellVisibility(event: 'show' | 'hide') {
      if (parts.platform() !== 'darwin') return void this.emit(event, preventable({}))
      setImmediate(() => {
        const isSeen = this.#visible && !this.#minimized
        if (this.#destroyed || isSeen === this.#toldVisible) return
        this.#toldVisible = isSeen
        this.emit(isSeen ? 'show' : 'hide', preventable({}))
      })
    }

    /** On Windows a hidden window loses its taskbar button and everything drawn on it. */
    #leaveTaskbar() {
      this.#progress = -1
      this.#badge = 0
    }

    #recorded(contents: WebContentsControl, preferences: Electron.WebPreferences): RecordedWindow {
      return {
        id: this.id,
        url: contents.webContents.getURL(),
        visible: this.#visible,
        focused: this.#focused,
        minimized: this.#minimized,
        bounds: this.#bounds,
        progress: this.#progress,
        badge: this.#badge,
        maximized: this.#maximized,
        fullScreen: this.#fullScreen,
        blackSpace: this.#blackSpace,
        loaded: contents.loaded(),
        crashed: contents.webContents.isCrashed(),
        targetId: contents.targetId(),
        webPreferences: { ...preferences },
      }
    }

    #userActions(contents: WebContentsControl): UserActions {
      return {
        close: () => this.close(),
        focus: () => this.focus(),
        blur: () => this.blur(),
        minimize: () => this.minimize(),
        restore: () => this.restore(),
        toggleFullScreen: () => this.setFullScreen(!this.#fullScreen),
        endSession: () => void this.emit('session-end', preventable({})),
        resize: (bounds) => this.setBounds(bounds),
        async crash() {
          const { cdp } = await contents.page
          const gone = once(contents.webContents, 'render-process-gone')
          // The call never returns, because the page that should respond is gone.
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

    /** Represents a hidden window as a minimized one in Chromium, because the page sees the same `visibilityState`. */
    async #windowState(windowState: 'normal' | 'minimized') {
      const { browser, targetId } = await this.standIn.contents.page
      try {
        const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId })
        await browser.send('Browser.setWindowBounds', { windowId, bounds: { windowState } })
      } catch {
        // The window was closed in the meantime.
      }
    }
  }

  return {
    BrowserWindow: lacking('BrowserWindow', Window),
    byId: (id: number) => windows.get(id) ?? [...windows.values()][0],
    all: () => [...windows.values()],
  }
}

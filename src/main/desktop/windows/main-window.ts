/**
 * The app's only window. It is created on demand and hides to the tray if there is one. Its renderer is destroyed some time later,
 * because the app doesn't need a page while in the tray. Events are queued until the page has requested its first snapshot.
 */
import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from 'electron'
import type { Events } from '../../../shared/ipc/contract.ts'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'
import { createPageMailbox } from './page-mailbox.ts'
import { boundsOnScreen, MINIMUM_SIZE, type WindowBounds } from './window-bounds.ts'

export type MainWindowOptions = WindowLook & {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly workAreas: () => readonly Rectangle[]
  readonly savedBounds: () => WindowBounds | undefined
  readonly saveBounds: (bounds: WindowBounds) => void
  /** What closing the window would do now. */
  readonly onClose: () => 'hide' | 'quit'
  readonly onHidden: () => void
  readonly onVisibility: () => void
  /** Called when the window is visible again. Progress and badge must then be restored. */
  readonly onShown: () => void
  /** Called just before the window is destroyed, because progress in the dock would otherwise remain. */
  readonly onEnding: () => void
  /** Time in ms until the renderer of a hidden window is destroyed. */
  readonly lingerMs: number
  readonly log: (message: string) => void
}

export type MainWindow = ReturnType<typeof createMainWindow>

export function createMainWindow(options: MainWindowOptions) {
  let window: BrowserWindow | undefined
  let wasShown: (() => boolean) | undefined
  let leaving = false
  let hasEnded = false
  let isWanted = false

  const alive = (): BrowserWindow | undefined =>
    window === undefined || window.isDestroyed() ? undefined : window
  const linger = createLinger(alive, options)
  const mailbox = createPageMailbox(
    (channel, payload) => alive()?.webContents.send(channel, payload),
    options.log,
  )

  function remember(from: BrowserWindow): void {
    options.saveBounds({ ...from.getNormalBounds(), maximized: from.isMaximized() })
  }

  /** Saves the bounds of a visible or minimized window. Returns false for a hidden one, whose saved bounds are current. */
  function rememberShown(from: BrowserWindow): boolean {
    if (!from.isVisible() && !from.isMinimized()) return false
    remember(from)
    return true
  }

  function hide(): void {
    const shown = alive()
    if (shown !== undefined) takeOffScreen(shown, linger.begin)
    options.onHidden()
  }

  function takeOffScreen(shown: BrowserWindow, then?: () => void): void {
    isWanted = false
    outOfFullScreen(shown, options.platform, () => {
      if (isWanted || shown.isDestroyed()) return
      shown.hide()
      then?.()
    })
  }

  function open(): BrowserWindow {
    const bounds = boundsOnScreen(options.savedBounds(), options.workAreas())
    const made = options.create(windowOptions(bounds, options))
    wasShown = showOnceReady(made, () => {
      if (!isWanted) return
      // Maximize only now, because that shows the window even if it hasn't painted.
      if (bounds.maximized) made.maximize()
      made.show()
    })
    made.on('close', (event) => {
      // After `allowClose` the window is hidden, and a hidden window may report that it isn't maximized.
      if (!leaving) remember(made)
      if (leaving || options.onClose() === 'quit') return options.onEnding()
      event.preventDefault()
      hide()
    })
    // Windows ends the app right after this event, without `close`.
    made.on('session-end', () => rememberShown(made))
    made.on('closed', () => {
      window = undefined
      mailbox.pageIsGone()
      options.onVisibility()
    })
    made.on('show', () => {
      linger.stop()
      options.onShown()
      options.onVisibility()
    })
    made.on('hide', options.onVisibility)
    made.on('focus', options.onVisibility)
    made.on('blur', options.onVisibility)
    keepPageAlive(made, (reason) => {
      options.log(`The renderer process exited: ${reason}`)
      mailbox.pageIsGone()
    })
    void made.loadURL(`${APP_ORIGIN}/`)
    return made
  }

  function show(): void {
    if (hasEnded) return
    isWanted = true
    // After a failed update, `onClose` decides again whether closing hides the window.
    leaving = false
    const shown = alive()
    if (shown === undefined) {
      window = open()
      return
    }
    // The window will be shown once it has content.
    if (wasShown?.() === false) return
    if (shown.isMinimized()) shown.restore()
    shown.show()
    shown.focus()
  }

  function allowClose(): void {
    leaving = true
    isWanted = false
    linger.stop()
    const shown = alive()
    if (shown !== undefined && rememberShown(shown)) takeOffScreen(shown)
  }

  return {
    show,
    hide,
    send: mailbox.send,
    showAnd<Name extends keyof Events>(name: Name, event: Events[Name]): void {
      show()
      mailbox.send(name, event)
    },
    /** Delivers queued events in order. Called when the page has requested its snapshot. */
    pageIsReady: mailbox.pageIsReady,
    isVisible: (): boolean => alive()?.isVisible() ?? false,
    isInFront: (): boolean => {
      const shown = alive()
      return shown !== undefined && shown.isVisible() && shown.isFocused()
    },
    /** Returns the existing window, for dialogs, progress and checks; undefined if there is none. */
    current: alive,
    /** Lets the next close destroy the window instead of hiding it. Call it before an update closes all windows. */
    allowClose,
    /** Hides the window immediately and never shows it again. Call it when the app quits. */
    end(): void {
      hasEnded = true
      allowClose()
    },
  }
}

/** Maximum number of reloads in a minute. After that, a crashed page stays blank until the window is shown again. */
const MOST_RELOADS = 3
const RELOADS_MS = 60_000

/** Reloads a crashed page. If the window is hidden or the page has crashed too often, the reload waits until the window is shown. */
function keepPageAlive(of: BrowserWindow, onDeath: (reason: string) => void): void {
  let isDead = false
  let recentReloads = 0

  function revive(): void {
    if (!isDead) return
    isDead = false
    recentReloads += 1
    setTimeout(() => (recentReloads -= 1), RELOADS_MS).unref()
    of.reload()
  }

  of.on('show', revive)
  of.on('restore', revive)
  of.webContents.on('render-process-gone', (_event, { reason }) => {
    onDeath(reason)
    isDead = true
    if (reason !== 'clean-exit' && of.isVisible() && recentReloads < MOST_RELOADS) revive()
  })
}

/** Destroys a window that stays hidden, because the app doesn't need a page while in the tray. */
function createLinger(
  alive: () => BrowserWindow | undefined,
  { lingerMs, onEnding }: Pick<MainWindowOptions, 'lingerMs' | 'onEnding'>,
) {
  let timer: NodeJS.Timeout | undefined

  function end(): void {
    const hidden = alive()
    if (hidden === undefined || hidden.isVisible()) return
    onEnding()
    hidden.destroy()
  }

  return {
    begin: () => {
      clearTimeout(timer)
      timer = setTimeout(end, lingerMs)
      timer.unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Leaves full screen before hiding, because macOS would otherwise leave an empty black space. */
function outOfFullScreen(shown: BrowserWindow, platform: NodeJS.Platform, then: () => void): void {
  if (platform !== 'darwin' || !shown.isFullScreen()) return then()
  shown.once('leave-full-screen', then)
  shown.setFullScreen(false)
}

/**
 * The facts that determine whether closing the window hides it or quits the app. The window hides only if the user can reach the app
 * through the tray.
 */
export type ClosingFacts = {
  readonly isQuitting: boolean
  readonly isTrayShown: boolean
  readonly closeToTray: boolean
}

export const whatClosingDoes = ({ isQuitting, isTrayShown, closeToTray }: ClosingFacts): 'hide' | 'quit' =>
  isQuitting || !isTrayShown || !closeToTray ? 'quit' : 'hide'

/** Whether to quit when the last window closes. Returns false during a shutdown, because a second quit would interrupt it. */
export const quitsWithLastWindow = (facts: ClosingFacts): boolean =>
  !facts.isQuitting && whatClosingDoes(facts) === 'quit'

/**
 * Time in ms after which a window is shown even if it hasn't painted. On some Wayland desktops `ready-to-show` never fires:
 * https://github.com/electron/electron/issues/48859
 */
const SHOW_TIMEOUT_MS = 2_000

/**
 * Shows a new window once it is painted or loaded, or after a timeout.
 * @param show called once, unless the window is closed first
 * @returns a function to check whether `show` has been called
 */
function showOnceReady(window: BrowserWindow, show: () => void): () => boolean {
  let hasRun = false

  function showNow(): void {
    clearTimeout(timer)
    if (hasRun || window.isDestroyed()) return
    hasRun = true
    show()
  }

  const timer = setTimeout(showNow, SHOW_TIMEOUT_MS)
  window.once('ready-to-show', showNow)
  window.webContents.once('did-finish-load', showNow)
  window.once('closed', () => clearTimeout(timer))
  return () => hasRun
}

type WindowLook = {
  readonly preloadPath: string
  readonly iconPath: string
  readonly platform: NodeJS.Platform
  readonly devTools: boolean
  readonly background: () => string
}

/** Returns the options of the window. It starts hidden and is shown once it has content. */
const windowOptions = (
  { x, y, width, height }: Rectangle,
  { preloadPath, iconPath, platform, devTools, background }: WindowLook,
): BrowserWindowConstructorOptions => ({
  x,
  y,
  width,
  height,
  minWidth: MINIMUM_SIZE.width,
  minHeight: MINIMUM_SIZE.height,
  show: false,
  title: 'Mediatray',
  backgroundColor: background(),
  autoHideMenuBar: true,
  ...(platform === 'darwin' ? { titleBarStyle: 'hiddenInset', trafficLightPosition: { x: 16, y: 16 } } : {}),
  ...(platform === 'linux' ? { icon: iconPath } : {}),
  webPreferences: {
    preload: preloadPath,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
    spellcheck: false,
    devTools,
  },
})

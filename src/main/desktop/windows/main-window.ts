/**
 * The one window. It is made when it is wanted, hides to the tray where there is one, and its renderer ends some time after
 * that: in the tray alone the app costs no page. What is meant for the page waits until the page has asked for its first
 * snapshot.
 */
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import type { Events } from '../../../shared/ipc/contract.ts'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'
import { createPageMailbox } from './page-mailbox.ts'
import { boundsOnScreen, MINIMUM_SIZE, type Rectangle, type WindowBounds } from './window-bounds.ts'

export type MainWindowOptions = WindowLook & {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly workAreas: () => readonly Rectangle[]
  readonly savedBounds: () => WindowBounds | undefined
  readonly saveBounds: (bounds: WindowBounds) => void
  /** What closing does just now. */
  readonly onClose: () => 'hide' | 'quit'
  readonly onHidden: () => void
  readonly onVisibility: () => void
  /** It has just been shown: dock or taskbar have to be told again what they show. */
  readonly onShown: () => void
  /** Just before it is destroyed: what the dock shows would stay behind. */
  readonly onEnding: () => void
  /** The renderer ends this long after the window was hidden, in ms. */
  readonly lingerMs: number
  readonly log: (message: string) => void
}

export interface MainWindow {
  show(): void
  hide(): void
  /** The page has asked for its snapshot: what waited is sent, in order. */
  pageIsReady(): void
  send<Name extends keyof Events>(name: Name, event: Events[Name]): void
  /** Shows the window and then tells the page. */
  showAnd<Name extends keyof Events>(name: Name, event: Events[Name]): void
  isVisible(): boolean
  isInFront(): boolean
  /** The live window, for dialogs, progress and checks; undefined in the tray. */
  current(): BrowserWindow | undefined
  letGo(): void
}

export function createMainWindow(options: MainWindowOptions): MainWindow {
  let window: BrowserWindow | undefined
  let wasShown: (() => boolean) | undefined
  let isPageDead = false
  let leaving = false
  let linger: NodeJS.Timeout | undefined

  const alive = (): BrowserWindow | undefined =>
    window === undefined || window.isDestroyed() ? undefined : window
  const mailbox = createPageMailbox((channel, payload) => alive()?.webContents.send(channel, payload))

  function remember(from: BrowserWindow): void {
    options.saveBounds({ ...from.getNormalBounds(), maximized: from.isMaximized() })
  }

  function endRendererLater(): void {
    clearTimeout(linger)
    linger = setTimeout(() => {
      const hidden = alive()
      if (hidden === undefined || hidden.isVisible()) return
      options.onEnding()
      hidden.destroy()
    }, options.lingerMs)
    linger.unref()
  }

  function hide(): void {
    alive()?.hide()
    endRendererLater()
    options.onHidden()
  }

  function make(): BrowserWindow {
    const bounds = boundsOnScreen(options.savedBounds(), options.workAreas())
    const made = options.create(windowOptions(bounds, options))
    isPageDead = false
    wasShown = showOnceReady(made, () => {
      // Not before: maximising shows a window, painted or not.
      if (bounds.maximized) made.maximize()
      made.show()
    })
    made.on('close', (event) => {
      remember(made)
      if (leaving || options.onClose() === 'quit') return options.onEnding()
      event.preventDefault()
      hide()
    })
    made.on('closed', () => {
      window = undefined
      mailbox.pageIsGone()
      options.onVisibility()
    })
    made.on('show', () => {
      clearTimeout(linger)
      revivePage(made)
      options.onShown()
      options.onVisibility()
    })
    made.on('restore', () => revivePage(made))
    made.on('hide', options.onVisibility)
    made.on('focus', options.onVisibility)
    made.on('blur', options.onVisibility)
    made.webContents.on('render-process-gone', (_event, details) => {
      options.log(`The window's process ended: ${details.reason}`)
      mailbox.pageIsGone()
      isPageDead = true
      if (details.reason !== 'clean-exit' && made.isVisible()) revivePage(made)
    })
    void made.loadURL(`${APP_ORIGIN}/`)
    return made
  }

  /** A page that died while nobody saw it is only loaded again when somebody does. */
  function revivePage(of: BrowserWindow): void {
    if (!isPageDead) return
    isPageDead = false
    of.reload()
  }

  function show(): void {
    const shown = alive()
    if (shown === undefined) {
      window = make()
      return
    }
    // It is about to be, with something on it.
    if (wasShown?.() === false) return
    if (shown.isMinimized()) shown.restore()
    shown.show()
    shown.focus()
  }

  return {
    show,
    hide,
    send: mailbox.send,
    showAnd(name, event) {
      show()
      mailbox.send(name, event)
    },
    pageIsReady: mailbox.pageIsReady,
    isVisible: () => alive()?.isVisible() ?? false,
    isInFront: () => {
      const shown = alive()
      return shown !== undefined && shown.isVisible() && shown.isFocused()
    },
    current: alive,
    letGo() {
      leaving = true
      clearTimeout(linger)
    },
  }
}

/** What closing the window means. It goes to the tray only where a person finds the app again in a tray. */
export type ClosingFacts = {
  readonly isQuitting: boolean
  readonly isTrayShown: boolean
  /** The person's choice in the settings. */
  readonly closeToTray: boolean
}

export const whatClosingDoes = ({ isQuitting, isTrayShown, closeToTray }: ClosingFacts): 'hide' | 'quit' =>
  isQuitting || !isTrayShown || !closeToTray ? 'quit' : 'hide'

/** Hiding is no closing. An app that ends already is left to end in order: a second quit would cut that short. */
export const quitsWithLastWindow = (facts: ClosingFacts): boolean =>
  !facts.isQuitting && whatClosingDoes(facts) === 'quit'

/** On some Wayland desktops `ready-to-show` never comes: https://github.com/electron/electron/issues/48859 */
const PATIENCE_MS = 2_000

/**
 * Shows a new window for the first time: painted where the system says so, and in any case soon.
 *
 * @param show runs once, on whichever comes first: the window is painted, its page was loaded, or it has taken too long
 * @returns whether it has been
 */
function showOnceReady(window: BrowserWindow, show: () => void): () => boolean {
  let isOver = false

  function showNow(): void {
    clearTimeout(timer)
    if (isOver || window.isDestroyed()) return
    isOver = true
    show()
  }

  const timer = setTimeout(showNow, PATIENCE_MS)
  window.once('ready-to-show', showNow)
  window.webContents.once('did-finish-load', showNow)
  window.once('closed', () => clearTimeout(timer))
  return () => isOver
}

/** How the window is made: what it looks like, and what its page may do. */
type WindowLook = {
  readonly preloadPath: string
  readonly iconPath: string
  readonly platform: NodeJS.Platform
  readonly devTools: boolean
  readonly background: () => string
}

/** Hidden at first: it is shown once there is something to see. */
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

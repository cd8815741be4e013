/**
 * The one window. It is made when it is wanted, hides to the tray where there is one, and its renderer ends some time after
 * that: in the tray alone the app costs no page. What is meant for the page waits until the page has asked for its first
 * snapshot.
 */
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import type { Events } from '../../../shared/ipc/contract.ts'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'
import { createPageMailbox } from './page-mailbox.ts'
import { MINIMUM_SIZE, boundsOnScreen, type Rectangle, type WindowBounds } from './window-bounds.ts'

export type MainWindowOptions = {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly preloadPath: string
  readonly iconPath: string
  readonly platform: NodeJS.Platform
  readonly devTools: boolean
  readonly background: () => string
  readonly workAreas: () => readonly Rectangle[]
  readonly savedBounds: () => WindowBounds | undefined
  readonly saveBounds: (bounds: WindowBounds) => void
  /** What closing does just now. */
  readonly onClose: () => 'hide' | 'quit'
  readonly onHidden: () => void
  readonly onVisibility: () => void
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
      if (hidden !== undefined && !hidden.isVisible()) hidden.destroy()
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
    const made = options.create({
      x: bounds.x,
      y: bounds.y,
      width: bounds.width,
      height: bounds.height,
      minWidth: MINIMUM_SIZE.width,
      minHeight: MINIMUM_SIZE.height,
      show: false,
      title: 'Mediatray',
      backgroundColor: options.background(),
      autoHideMenuBar: true,
      ...(options.platform === 'darwin'
        ? { titleBarStyle: 'hiddenInset', trafficLightPosition: { x: 16, y: 16 } }
        : {}),
      ...(options.platform === 'linux' ? { icon: options.iconPath } : {}),
      webPreferences: {
        preload: options.preloadPath,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webviewTag: false,
        webSecurity: true,
        spellcheck: false,
        devTools: options.devTools,
      },
    })
    if (bounds.maximized) made.maximize()
    made.once('ready-to-show', () => made.show())
    made.on('close', (event) => {
      remember(made)
      if (leaving || options.onClose() === 'quit') return
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
      options.onVisibility()
    })
    made.on('hide', options.onVisibility)
    made.on('focus', options.onVisibility)
    made.on('blur', options.onVisibility)
    made.webContents.on('render-process-gone', (_event, details) => {
      options.log(`The window's process ended: ${details.reason}`)
      mailbox.pageIsGone()
      if (details.reason !== 'clean-exit' && made.isVisible()) made.reload()
    })
    void made.loadURL(`${APP_ORIGIN}/`)
    return made
  }

  function show(): void {
    const shown = alive()
    if (shown === undefined) {
      window = make()
      return
    }
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

/**
 * The app on a desktop: one window, a tray where there is one, notifications, and the ways in for files. Draws what the core
 * says and hands on what a person does.
 */
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
} from 'electron'
import type { Handlers } from '../../shared/ipc.ts'
import { createWording, type Wording } from '../../shared/wording/index.ts'
import type { Core } from '../core/index.ts'
import type { Pictures } from '../pictures/index.ts'
import { feedChanges } from '../state/state.ts'
import { createActions } from './actions.ts'
import { serveAppScheme } from './app-scheme.ts'
import { applicationMenu } from './application-menu.ts'
import { askToAdd } from './ask-to-add.ts'
import type { Beginning } from './before-ready.ts'
import { startHabits } from './desktop-habits.ts'
import { dragIcon } from './drag-icon.ts'
import { createHandlers, HELP_LINKS, type HandlerDeps } from './handlers/index.ts'
import { hardenSession } from './hardening.ts'
import { wireIpc } from './ipc-wiring.ts'
import { takeIncoming } from './incoming.ts'
import { wantsNoTray } from './launch-arguments.ts'
import { createMainWindow, type MainWindow } from './main-window.ts'
import { createNativeNotifications } from './native-notification.ts'
import { createNotifier } from './notifier.ts'
import { watchNotification } from './notification-view.ts'
import { systemTiming } from './open-rooms.ts'
import type { Places } from './places.ts'
import { createQuickDrop } from './quick-drop.ts'
import { isOurPage } from './sender-check.ts'
import { followTaskbar } from './taskbar.ts'
import { createPanelTray } from './panel-tray.ts'
import { trayView } from './tray-view.ts'
import { startWatching } from './watching.ts'
import { placeKeeper, type PlaceStore } from './window-place.ts'

export type DesktopOptions = {
  readonly beginning: Beginning
  readonly places: Places
  readonly core: Core
  readonly placeStore: PlaceStore
  readonly pictures: Pictures
  readonly rooms: Pick<HandlerDeps, 'presets' | 'drive' | 'updates' | 'diagnostics'>
  /** The renderer ends this long after its window was hidden, in ms. */
  readonly rendererLingerMs: number
  readonly log: (message: string) => void
  readonly logEvent: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** A page is told at most ten times a second. */
const FEED_INTERVAL_MS = 100

/** Runs from `ready` to the end of the app. */
export function startDesktop(options: DesktopOptions): void {
  const { beginning, places, core, pictures, log } = options
  const platform = desktopPlatform()
  const { settings } = core
  const wording = wordingOf(() => settings.view().language)
  const known = onlyKnown(core, pictures)
  let quitting = false

  hardenSession(session.defaultSession)
  serveAppScheme(protocol, { rendererFolder: places.renderer, pictures: known })
  nativeTheme.themeSource = settings.view().appearance

  // ── Window and tray ───────────────────────────────────────────────────────────────────────────────────────────────

  const keeper = placeKeeper(options.placeStore)
  const window: MainWindow = createMainWindow({
    create: (windowOptions) => new BrowserWindow(windowOptions),
    preloadPath: places.preload,
    iconPath: places.appIcon,
    platform,
    devTools: !app.isPackaged,
    background: () => (nativeTheme.shouldUseDarkColors ? '#1a1e1c' : '#ffffff'),
    workAreas: () => workAreas(),
    savedPlace: keeper.read,
    savePlace: keeper.write,
    onClose: () => (quitting || !tray.isShown() || !settings.view().closeToTray ? 'quit' : 'hide'),
    onHidden: () => sayStillInTray(),
    onVisibility: () => core.tracker.setVisible(window.isVisible()),
    lingerMs: options.rendererLingerMs,
    log,
  })

  const act = createActions({
    core,
    window,
    reveal: (path) => shell.showItemInFolder(path),
    paste: async () => handlers.draft.pasteFromClipboard(),
    quit: () => app.quit(),
    log,
  })

  const dropped = createQuickDrop({ core, window })
  const takeFiles = (paths: readonly string[]): void => {
    dropped(paths).catch((error: unknown) => log(`files could not be taken in: ${String(error)}`))
  }

  const tray = createPanelTray({
    iconFolder: places.trayIcons,
    platform,
    onAction: act,
    onOpen: () => window.show(),
    onFiles: takeFiles,
    log,
  })

  // ── Notifications ─────────────────────────────────────────────────────────────────────────────────────────────────

  const context = () => ({ wording: wording(), homeFolder: app.getPath('home') })
  const notifier = createNotifier({
    show: createNativeNotifications({ platform, iconPath: places.appIcon, onAction: act, log }),
    isInFront: () => window.isInFront(),
    state: () => core.state.get(),
    context,
    clock: () => Date.now(),
  })

  const watch = startWatching({
    core,
    dataFolder: places.data,
    timing: systemTiming,
    onTrouble: (trouble) => notifier.say(watchNotification(trouble, context())),
    log: options.logEvent,
  })
  watch.onChange(() => window.send('watchChanged', null))

  /** Once in the life of an installation: the window is gone, the app is not. */
  function sayStillInTray(): void {
    if (settings.view().closeToTraySaid) return
    settings.update({ closeToTraySaid: true })
    notifier.say({
      choice: 'service',
      title: wording().say('notification.stillInTray'),
      body: wording().say('notification.stillInTrayBody'),
      click: { do: 'settings' },
      buttons: [],
    })
  }

  // ── The page ──────────────────────────────────────────────────────────────────────────────────────────────────────

  const handlers: Handlers = createHandlers({
    core,
    app,
    dialog,
    shell,
    clipboard,
    platform,
    wording,
    window: () => window.current(),
    pageIsReady: () => window.pageIsReady(),
    send: (name, event) => window.send(name, event),
    trayShown: () => tray.isShown(),
    dragIcon: (path) => dragIcon(path, known, places.appIcon),
    pasteFolder: places.pasted,
    stayOpen: () => habits.stayOpen(),
    log,
    watch,
    ...options.rooms,
  })
  wireIpc({ ipcMain, handlers, isOurs: (event) => isOurPage(event, window.current()), log })
  feedChanges(core.state, {
    interval: FEED_INTERVAL_MS,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    send: (change) => window.send('stateChanged', change),
  })

  const menuActions = {
    newJob: () => act({ do: 'newJob' }),
    addFiles: () => void handlers.draft.chooseFiles(),
    addFolder: () => void handlers.draft.chooseFolder(),
    search: () => window.showAnd('show', { place: 'search' }),
    settings: () => act({ do: 'settings' }),
    help: () => void shell.openExternal(HELP_LINKS.help),
  }
  const drawMenu = () =>
    Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(platform, wording(), menuActions)))
  drawMenu()

  // ── What follows from the state ───────────────────────────────────────────────────────────────────────────────────

  const taskbar = followTaskbar({
    setProgress: (value) => window.current()?.setProgressBar(value),
    setBadge: (count) => app.setBadgeCount(count),
  })

  function draw(): void {
    const state = core.state.get()
    if (settings.view().showTray && !wantsNoTray(beginning.launch)) tray.show(trayView(state, wording()))
    else tray.hide()
    taskbar(state)
  }
  core.state.onChange((state, before) => {
    draw()
    notifier.stateChanged(state, before)
    if (state.settings.language !== before.settings.language) drawMenu()
    if (state.settings.appearance !== before.settings.appearance) {
      nativeTheme.themeSource = state.settings.appearance
    }
  })
  core.onFinished((record) => notifier.finished(record))
  nativeTheme.on('updated', () => tray.redraw())
  draw()

  const habits = startHabits({
    core,
    platform,
    timing: systemTiming,
    wording,
    onShortcut: () => act({ do: 'newJob' }),
    onTask: (argument) => arrive({ kind: 'launch', launch: { args: [argument], cwd: app.getPath('home') } }),
    log,
    logEvent: options.logEvent,
  })

  // ── Comings and goings ────────────────────────────────────────────────────────────────────────────────────────────

  const arrive = takeIncoming({
    core,
    platform,
    act,
    showWindow: () => window.show(),
    takeFiles,
    askToAdd: (paths) => askToAdd(paths, { dialog, window: window.current(), wording: wording() }),
  })
  beginning.deliverTo(arrive)
  arrive({ kind: 'launch', launch: beginning.launch })

  powerMonitor.on('suspend', () => core.tracker.suspend())
  powerMonitor.on('resume', () => core.tracker.resume())
  // A window that is hidden or gone does not end an app that lives in the tray; closing it has said already what is wanted.
  app.on('window-all-closed', () => {
    if (!tray.isShown() || !settings.view().closeToTray) app.quit()
  })
  app.on('before-quit', (event) => {
    if (quitting) return
    event.preventDefault()
    quitting = true
    window.letGo()
    pictures.close()
    habits.close()
    void watch
      .close()
      .then(() => core.close())
      .finally(() => {
        tray.hide()
        app.quit()
      })
  })
}

function desktopPlatform(): 'darwin' | 'win32' | 'linux' {
  if (process.platform === 'darwin') return 'darwin'
  return process.platform === 'win32' ? 'win32' : 'linux'
}

/** The language can be changed while the app runs; everything is drawn anew with the next state. */
function wordingOf(language: () => 'system' | 'en' | 'de'): () => Wording {
  let made: { readonly locale: string; readonly wording: Wording } | undefined
  return () => {
    const chosen = language()
    const locale = chosen === 'system' ? app.getLocale() : chosen
    if (made?.locale !== locale) made = { locale, wording: createWording(locale) }
    return made.wording
  }
}

/** The primary display first. */
function workAreas() {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return [primary, ...others].map((display) => display.workArea)
}

/** Pictures are made only of files that the page was told of. */
const onlyKnown = (core: Core, pictures: Pictures): Pick<Pictures, 'thumbnail' | 'preview'> => ({
  thumbnail: async (path, pixels) =>
    core.knownFiles.has(path) ? pictures.thumbnail(path, pixels) : undefined,
  preview: async (path) => (core.knownFiles.has(path) ? pictures.preview(path) : undefined),
})

/**
 * The app on a screen: one window, a tray where there is one, notifications, and the ways in for files. Built in the order in
 * which the parts need each other; what a person does comes back as events, and connect-ui.ts says what follows.
 */
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  nativeImage,
  nativeTheme,
  Notification,
  screen,
  shell,
} from 'electron'
import type { Timing } from '../../node/timing.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import { createEvents, startWatching, type Core, type Events, type Log } from '../core/index.ts'
import type { Forecasts } from '../forecast/forecast.ts'
import type { Previews } from '../preview/preview.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import { createActions } from './actions.ts'
import { createAddMedia } from './add-media.ts'
import type { LaunchRequest, Launches } from './bootstrap.ts'
import { connectUi, type UiEvents } from './connect-ui.ts'
import { createDialogs, type Dialogs } from './dialogs.ts'
import { drawState } from './draw-state.ts'
import { createEnding, type Ending } from './ending.ts'
import { createInstallCommand } from './install-command.ts'
import { startIntegration } from './integration/integration.ts'
import { programFile } from './integration/program-file.ts'
import { createDragIcon } from './ipc/file-handlers.ts'
import { createHandlers, type PageExtras } from './ipc/handlers.ts'
import { WEB_PAGES } from './ipc/app-handlers.ts'
import { askToAdd } from './launch/link.ts'
import { createIncoming } from './launch/incoming.ts'
import { wantsNoTray } from './launch/launch-arguments.ts'
import { offerQuickTasks } from './menus/quick-tasks.ts'
import { unexpectedNotification, type ViewContext } from './notifications/notification-view.ts'
import { createNativeNotifications } from './notifications/native-notification.ts'
import { createNotifier, type Notifier } from './notifications/notifier.ts'
import type { AppPaths } from './paths.ts'
import { feedPage, onlyKnown, servePage } from './serve-page.ts'
import { translationOf } from './translation.ts'
import type { TrayPresence } from './tray/tray-presence.ts'
import { createTray } from './tray/tray.ts'
import type { UserAction } from './user-action.ts'
import type { UnexpectedErrors } from './unexpected-errors.ts'
import { createMainWindow, type MainWindow } from './windows/main-window.ts'
import { boundsKeeper, type BoundsStore } from './windows/window-bounds.ts'

export type DesktopOptions = {
  readonly launches: Launches
  readonly unexpected: UnexpectedErrors
  readonly paths: AppPaths
  readonly core: Core
  readonly extras: PageExtras & {
    readonly thumbnails: Thumbnails
    readonly previews: Previews
    readonly forecasts: Forecasts
  }
  readonly boundsStore: BoundsStore
  /** The renderer ends this long after its window was hidden, in ms. */
  readonly rendererLingerMs: number
  /** Time to object when the app is about to quit or to send the computer to sleep, in ms. */
  readonly endNoticeMs: number
  readonly timing: Timing
  readonly log: Log
}

/** Runs from `ready` to the end of the app. */
export function startDesktop(options: DesktopOptions): void {
  const { launches, paths, core, extras, timing } = options
  const { state, settings } = core
  const log = (message: string) => options.log(message, {})
  const platform = desktopPlatform()
  const program = programFile(process.env, process.execPath)

  const ui = createEvents<UiEvents>(options.log)
  const t = translationOf(() => settings.view().language)
  const context = () => ({ t: t(), homeFolder: app.getPath('home') })
  const ending = createEnding(log)
  const tray = createTray({
    iconFolder: paths.trayIcons,
    platform,
    onAction: ui.tell('actionChosen'),
    onOpen: ui.tell('trayClicked'),
    onFiles: ui.tell('filesDropped'),
    log,
  })
  const window = openWindow(options, { ui, ending, tray, platform, log })
  const notifier = openNotifier(options, { ui, window, platform, context, log })
  const dialogs = createDialogs({ dialog, window })
  const addMedia = createAddMedia({
    ...core,
    dialogs,
    clipboard,
    picturesFolder: app.getPath('pictures'),
    pasteFolder: paths.pasted,
    clock: timing.clock,
    t,
    onExpected: () => extras.thumbnails.prepare(),
    onAdded: (toast) => window.send('toast', toast),
  })
  const act = createActions({
    ...core,
    window,
    addMedia,
    reveal: (path) => shell.showItemInFolder(path),
    openHelp,
    installCommand: createInstallCommand({
      launcher: paths.command,
      dialogs,
      copy: (text) => void clipboard.writeText(text),
      t,
    }),
    quit: () => app.quit(),
    log,
  })
  const integration = startIntegration({
    ...core,
    platform,
    timing,
    onShortcut: ui.tell('shortcutPressed'),
    onShortcutTaken: ui.tell('shortcutTaken'),
    offerQuickTasks: () =>
      offerQuickTasks({ app, Menu, t: t(), platform, program: program.path, run: ui.tell('taskChosen') }),
    program,
    endNoticeMs: options.endNoticeMs,
    log,
  })
  const watch = startWatching({
    core,
    dataFolder: paths.data,
    timing,
    onTrouble: ui.tell('watchTrouble'),
    log: options.log,
  })

  const { previews } = extras
  const thumbnails = onlyKnown(core.fileAccess, extras.thumbnails)
  const handlers = createHandlers(
    {
      core,
      feed: feedPage(window, state),
      app,
      shell,
      clipboard,
      platform,
      window,
      tray,
      integration,
      dialogs,
      addMedia,
      watch,
      noticesFile: paths.notices,
      dragIcon: createDragIcon((path) => nativeImage.createFromPath(path), paths.appIcon),
      t,
    },
    extras,
  )
  servePage({ window, handlers, thumbnails, previews, rendererFolder: paths.renderer, t, log })
  drawState({
    ui,
    state,
    window,
    tray,
    notifier,
    platform,
    t,
    onAction: act,
    hasHelp: WEB_PAGES.homePage !== null,
    hasCommand: app.isPackaged,
    noTray: wantsNoTray(launches.launch),
  })

  const incoming = openIncoming(core, { ui, window, tray, dialogs, platform, act, t })
  options.unexpected.sayOnce(() => notifier.say(unexpectedNotification(context())))
  connectUi({ ...extras, ui, core, window, tray, notifier, watch, ending, act, incoming, context, log })
  launches.deliverTo(incoming, platform)
  ending.inOrder([
    () => window.letGo(),
    () => integration.close(),
    () => extras.thumbnails.close(),
    () => extras.previews.close(),
    () => extras.forecasts.close(),
    () => watch.close(),
    () => core.close(),
    () => tray.hide(),
  ])
}

type WindowSurroundings = {
  readonly ui: Events<UiEvents>
  readonly ending: Ending
  readonly tray: TrayPresence
  readonly platform: Platform
  readonly log: (message: string) => void
}

function openWindow(options: DesktopOptions, { ui, ending, tray, platform, log }: WindowSurroundings) {
  const { paths, core } = options
  const bounds = boundsKeeper(options.boundsStore)
  return createMainWindow({
    create: (windowOptions) => new BrowserWindow(windowOptions),
    preloadPath: paths.preload,
    iconPath: paths.appIcon,
    platform,
    devTools: !app.isPackaged,
    background: () => (nativeTheme.shouldUseDarkColors ? '#1a1e1c' : '#ffffff'),
    workAreas,
    savedBounds: bounds.read,
    saveBounds: bounds.write,
    onClose: () =>
      ending.closingDoes({
        isTrayShown: tray.isShown(),
        closeToTray: core.settings.view().closeToTray,
      }),
    onHidden: ui.tell('windowHidden'),
    onVisibility: ui.tell('windowVisibilityChanged'),
    onShown: ui.tell('windowShown'),
    onEnding: ui.tell('windowEnding'),
    lingerMs: options.rendererLingerMs,
    log,
  })
}

type IncomingSurroundings = {
  readonly ui: Events<UiEvents>
  readonly window: MainWindow
  readonly tray: TrayPresence
  readonly dialogs: Dialogs
  readonly platform: Platform
  readonly act: (action: UserAction) => void
  readonly t: () => Translation
}

function openIncoming(
  core: Core,
  { ui, window, tray, dialogs, platform, act, t }: IncomingSurroundings,
): (request: LaunchRequest) => void {
  return createIncoming({
    ...core,
    platform,
    act,
    showWindow: () => window.show(),
    // macOS has the app in the Dock.
    isWithinReach: async () => platform === 'darwin' || (await tray.willBeShown()),
    takeFiles: ui.tell('filesDropped'),
    askToAdd: (files) => askToAdd(files, { dialogs, t: t() }),
  })
}

type NotifierSurroundings = {
  readonly ui: Events<UiEvents>
  readonly window: MainWindow
  readonly platform: Platform
  readonly context: () => ViewContext
  readonly log: (message: string) => void
}

function openNotifier(
  { core, paths, timing }: DesktopOptions,
  { ui, window, platform, context, log }: NotifierSurroundings,
): Notifier {
  const show = createNativeNotifications({
    isSupported: () => Notification.isSupported(),
    create: (notification) => new Notification(notification),
    platform,
    iconPath: paths.appIcon,
    onAction: ui.tell('actionChosen'),
    log,
  })
  return createNotifier({
    show,
    isInFront: () => window.isInFront(),
    state: () => core.state.get(),
    context,
    clock: timing.clock,
  })
}

function openHelp(): void {
  const { homePage } = WEB_PAGES
  if (homePage !== null) void shell.openExternal(homePage)
}

/** The primary display first. */
function workAreas() {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return [primary, ...others].map((display) => display.workArea)
}

type Platform = 'darwin' | 'win32' | 'linux'

function desktopPlatform(): Platform {
  if (process.platform === 'darwin') return 'darwin'
  return process.platform === 'win32' ? 'win32' : 'linux'
}

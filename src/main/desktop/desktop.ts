/**
 * Assembles the desktop shell: window, notifications, file input, and the tray if available. Creates the parts in dependency order.
 * User input is reported as events; connect-ui.ts defines the reactions.
 */
import type { Log } from '../../node/log.ts'
import {
  app,
  BrowserWindow,
  clipboard,
  ClipboardItem,
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
import { createEvents, startWatching, type Core } from '../core/index.ts'
import type { Estimates } from '../estimate/estimate.ts'
import type { Previews } from '../preview/preview.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import { createActions } from './actions.ts'
import { createAddMedia, type AddMedia } from './add-media.ts'
import type { Launches } from './bootstrap.ts'
import type { ClipboardControl } from './clipboard/clipboard-control.ts'
import { openClipboard } from './open-clipboard.ts'
import { connectUi } from './connect-ui.ts'
import { createDialogs } from './dialogs.ts'
import { drawState } from './draw-state.ts'
import { createEnding } from './ending.ts'
import { assistantCommand } from './quoting.ts'
import { createInstallCommand } from './install-command.ts'
import { createFileManagers, type FileManagers } from './file-managers/file-managers.ts'
import { followStars } from './file-managers/follow-stars.ts'
import { runsOnWayland, startIntegration } from './integration/integration.ts'
import { isInstalled, programFile } from './integration/program-file.ts'
import { createDragIcon } from './ipc/file-handlers.ts'
import { createHandlers } from './ipc/handlers.ts'
import type { PageExtras } from './ipc/page.ts'
import { WEB_PAGES } from './ipc/app-handlers.ts'
import { askToAdd } from './launch/link.ts'
import { createIncoming } from './launch/incoming.ts'
import { wantsNoTray } from './launch/launch-arguments.ts'
import { offerQuickTasks } from './menus/quick-tasks.ts'
import { unexpectedNotification } from './notifications/notification-view.ts'
import {
  createBalloons,
  createNativeNotifications,
  createNotifier,
  type Notifier,
} from './notifications/notifier.ts'
import type { AppPaths } from './paths.ts'
import type { StopServing } from './serve-commands-in-app.ts'
import { feedPage, onlyKnown, servePage } from './serve-page.ts'
import type { Platform, Shell, UiEvents } from './shell.ts'
import { translationOf } from './translation.ts'
import { createTray } from './tray/tray.ts'
import type { UnexpectedErrors } from './unexpected-errors.ts'
import { createMainWindow } from './windows/main-window.ts'
import { boundsKeeper, type BoundsStore } from './windows/window-bounds.ts'

export type DesktopOptions = {
  readonly launches: Launches
  readonly unexpected: UnexpectedErrors
  readonly paths: AppPaths
  readonly core: Core
  readonly extras: PageExtras & {
    readonly thumbnails: Thumbnails
    readonly previews: Previews
    readonly estimates: Estimates
  }
  readonly boundsStore: BoundsStore
  readonly stopServing: StopServing
  /** Time in ms until the renderer of a hidden window is destroyed. */
  readonly rendererLingerMs: number
  /** Time in ms during which the user can cancel an automatic quit or sleep. */
  readonly endNoticeMs: number
  readonly timing: Timing
  readonly log: Log
}

/** Call this once, after Electron's `ready` event. */
export function startDesktop(options: DesktopOptions): void {
  const { launches, paths, core, extras, timing } = options
  const { state, settings } = core
  const log = (message: string) => options.log(message, {})
  const platform = desktopPlatform()
  const program = programFile(process.env, process.execPath)

  const ui = createEvents<UiEvents>(options.log)
  const t = translationOf(() => settings.view().language)
  const context = () => ({ t: t(), homeFolder: app.getPath('home'), settings: settings.view() })
  const tray = createTray({
    iconFolder: paths.trayIcons,
    platform,
    onAction: ui.tell('actionChosen'),
    onOpen: ui.tell('trayClicked'),
    onFiles: ui.tell('filesDropped'),
    log,
  })
  const ending = createEnding(launches, settings, tray, platform, log)
  const window = openWindow(options, { ui, ending, platform, log })
  const notifier = openNotifier(options, { ui, window, tray, program, platform, context, log })
  const dialogs = createDialogs(dialog, window)
  const addMedia = openAddMedia(options, { dialogs, t })
  const clipboardJobs = openClipboardJobs(options, { window, notifier, dialogs, platform, context, log })
  const act = createActions({
    ...core,
    window,
    addMedia,
    clipboard: clipboardJobs,
    startWith: ui.tell('presetPicked'),
    reveal: (path) => shell.showItemInFolder(path),
    openHelp,
    installCommand: createInstallCommand({
      launcher: paths.command,
      isTemporary: program.isTemporary,
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
    onLoginNeedsApproval: ui.tell('loginNeedsApproval'),
    offerQuickTasks: () =>
      offerQuickTasks({ app, Menu, t: t(), platform, program: program.path, run: ui.tell('taskChosen') }),
    program,
    endNoticeMs: options.endNoticeMs,
    log,
  })
  const fileManagers = openFileManagers(options, { ui, platform, program, log })
  const watch = startWatching({ core, timing, onTrouble: ui.tell('watchTrouble'), log: options.log })

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
      clipboardJobs,
      watch,
      fileManagerMenu: fileManagers.menu,
      noticesFile: paths.notices,
      picturesFolder: paths.pictures,
      assistantCommand: lastingCommand(paths, { program, platform }),
      dragIcon: createDragIcon((path) => nativeImage.createFromPath(path), paths.appIcon),
      t,
    },
    extras,
  )
  servePage(handlers, { thumbnails, previews, rendererFolder: paths.renderer }, { window, t, log })
  drawState({
    ui,
    state,
    window,
    tray,
    notifier,
    platform,
    t,
    act,
    hasHelp: WEB_PAGES.homePage !== null,
    hasCommand: app.isPackaged,
    noTray: wantsNoTray(launches.launch),
    log,
  })

  const incoming = openIncoming(core, { ui, window, tray, dialogs, platform, act, t }, timing)
  options.unexpected.notifyOnce(() => notifier.notify(unexpectedNotification(context())))
  const clipboardParts = { clipboard: clipboardJobs, incoming }
  connectUi({ ...extras, ...clipboardParts, ui, core, window, notifier, watch, ending, act, context, log })
  launches.deliverTo(incoming, platform)
  ending.onQuit([
    () => window.end(),
    () => integration.close(),
    clipboardJobs.close,
    fileManagers.close,
    ...[extras.thumbnails, extras.previews, extras.estimates].map((one) => () => one.close()),
    () => options.stopServing.stop(ending.endsForInstaller()),
    () => watch.close(),
    () => core.close(options.stopServing.builtIn()),
    options.stopServing.release,
    () => tray.hide(),
    () => (options.stopServing.isLost() ? explainLost(dialogs, paths.data, t().dialog) : undefined),
  ])
}

function openWindow(
  options: DesktopOptions,
  { ui, ending, platform, log }: Pick<Shell, 'ui' | 'ending' | 'platform' | 'log'>,
) {
  const { paths } = options
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
    onClose: () => ending.closingDoes(),
    onHidden: ui.tell('windowHidden'),
    onVisibility: ui.tell('windowVisibilityChanged'),
    onShown: ui.tell('windowShown'),
    onEnding: ui.tell('windowEnding'),
    lingerMs: options.rendererLingerMs,
    log,
  })
}

const openAddMedia = (
  { core, extras, paths, timing }: DesktopOptions,
  { dialogs, t }: Pick<Shell, 'dialogs' | 't'>,
): AddMedia =>
  createAddMedia({
    ...core,
    dialogs,
    clipboard,
    picturesFolder: paths.pictures,
    pasteFolder: paths.pasted,
    clock: timing.clock,
    t,
    onExpected: () => extras.thumbnails.prepare(),
  })

const openClipboardJobs = (
  options: DesktopOptions,
  shown: Pick<Shell, 'window' | 'notifier' | 'dialogs' | 'platform' | 'context' | 'log'>,
): ClipboardControl =>
  openClipboard({
    ...options,
    ...shown,
    clipboard,
    ClipboardItem,
    picturesFolder: options.paths.pictures,
    canWatch: !runsOnWayland(shown.platform),
    env: process.env,
  })

function openFileManagers(
  { core, paths, timing }: DesktopOptions,
  { ui, platform, program, log }: Pick<Shell, 'ui' | 'platform' | 'program' | 'log'>,
): Pick<FileManagers, 'menu'> & { readonly close: () => Promise<void> } {
  const { menu, write } = createFileManagers({
    platform,
    environment: process.env,
    homeFolder: app.getPath('home'),
    program: program.path,
    isInstalled: isInstalled(app, program),
    appData: app.getPath('appData'),
    dataFolder: paths.data,
    shell,
  })
  const onTrouble = ui.tell('fileManagerTrouble')
  return { menu, close: followStars({ state: core.state, write, after: timing.after, onTrouble, log }) }
}

function openIncoming(
  core: Core,
  parts: Pick<Shell, 'ui' | 'window' | 'tray' | 'dialogs' | 'platform' | 'act' | 't'>,
  { after }: Pick<Timing, 'after'>,
): Shell['incoming'] {
  const { ui, window, tray, dialogs, platform, act, t } = parts
  const startWith = ui.tell('presetPicked')
  return createIncoming({
    ...core,
    platform,
    act,
    showWindow: () => window.show(),
    // The app is always reachable through the Dock on macOS.
    isWithinReach: async () => platform === 'darwin' || (await tray.willBeShown()),
    takeFiles: ui.tell('filesDropped'),
    startWith(pick) {
      if (!core.settings.view().pickedInFileManager) core.settings.update({ pickedInFileManager: true })
      startWith(pick)
    },
    after,
    askToAdd: (files) => askToAdd(files, { dialogs, t: t() }),
  })
}

/** How long finished jobs are collected before the app notifies, in ms. Only on Windows, which takes about that long to notify. */
const BATCH_MS = 300

function openNotifier(
  { core, paths, timing }: DesktopOptions,
  parts: Pick<Shell, 'ui' | 'window' | 'tray' | 'program' | 'platform' | 'context' | 'log'>,
): Notifier {
  const { ui, window, tray, program, platform, context, log } = parts
  const onAction = ui.tell('actionChosen')
  const show =
    platform === 'win32' && !isInstalled(app, program)
      ? createBalloons(tray, onAction)
      : createNativeNotifications({ Notification, platform, iconPath: paths.appIcon, onAction, log })
  return createNotifier({
    show,
    isInFront: () => window.isInFront(),
    state: () => core.state.get(),
    context,
    clock: timing.clock,
    after: timing.after,
    batchMs: platform === 'win32' ? BATCH_MS : 0,
    log,
  })
}

/** Tells the user why the app is quitting: its data folder was moved or has another owner. */
const explainLost = (
  { ask }: Pick<Shell['dialogs'], 'ask'>,
  folder: string,
  { dataLost: message, dataLostDetail }: Translation['dialog'],
): Promise<number> =>
  ask({ type: 'warning', message, detail: dataLostDetail({ folder }), buttons: ['OK'], noLink: true })

const lastingCommand = (
  { command }: Pick<AppPaths, 'command'>,
  { program, platform }: Pick<Shell, 'program' | 'platform'>,
): string | null =>
  program.isTemporary ? null : assistantCommand(app.isPackaged ? command : 'mediatray-cli', platform)

async function openHelp(): Promise<void> {
  const { homePage } = WEB_PAGES
  if (homePage !== null) await shell.openExternal(homePage)
}

/** Returns the work areas of all displays, the primary display first. */
function workAreas() {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return [primary, ...others].map((display) => display.workArea)
}

function desktopPlatform(): Platform {
  if (process.platform === 'darwin') return 'darwin'
  return process.platform === 'win32' ? 'win32' : 'linux'
}

/** What follows from what a person does, and from what the core tells, on a screen: the shell's one file of reactions. */
import { app, autoUpdater, powerMonitor } from 'electron'
import { thumbnailPixels } from '../../shared/thumbnail-url.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Core, Events } from '../core/index.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import type { WatchFolders, WatchTrouble } from '../watch/index.ts'
import type { LaunchRequest } from './bootstrap.ts'
import type { Ending } from './ending.ts'
import { createQuickDrop } from './launch/quick-drop.ts'
import { watchNotification, type ViewContext } from './notifications/notification-view.ts'
import type { Notifier } from './notifications/notifier.ts'
import type { TrayPresence } from './tray/tray-presence.ts'
import type { UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

/** Of a draft, no more are in view at first. */
const FIRST_FILES = 16

export type UiEvents = {
  readonly actionChosen: UserAction
  readonly trayClicked: void
  /** Files from outside the window: the tray, the dock, another start. */
  readonly filesDropped: readonly string[]
  readonly windowHidden: void
  readonly windowVisibilityChanged: void
  readonly windowShown: void
  /** Just before it is destroyed. */
  readonly windowEnding: void
  readonly shortcutPressed: void
  /** The shortcut that was asked for is not to be had. */
  readonly shortcutTaken: string
  /** A quick task of the dock, by its argument. */
  readonly taskChosen: string
  readonly watchTrouble: WatchTrouble
}

export type UiParts = {
  readonly ui: Events<UiEvents>
  readonly core: Pick<Core, 'events' | 'settings' | 'tracker' | 'intake' | 'drafts'>
  readonly window: MainWindow
  readonly tray: TrayPresence
  readonly notifier: Notifier
  readonly watch: WatchFolders
  readonly thumbnails: Pick<Thumbnails, 'foresee'>
  readonly ending: Ending
  readonly act: (action: UserAction) => void
  readonly incoming: (request: LaunchRequest) => void
  readonly context: () => ViewContext
  readonly log: (message: string) => void
}

export function connectUi(parts: UiParts): void {
  const { ui, core, window, notifier, watch, act, context, log } = parts
  const { settings, tracker } = core
  const quickDrop = createQuickDrop({ ...core, window })

  ui.on('actionChosen', act)
  ui.on('trayClicked', () => window.show())
  ui.on('shortcutPressed', () => act({ do: 'newJob' }))
  ui.on('filesDropped', (paths) => {
    quickDrop(paths).catch((error: unknown) => log(`files could not be taken in: ${String(error)}`))
  })
  ui.on('taskChosen', (argument) =>
    parts.incoming({ kind: 'launch', launch: { args: [argument], cwd: app.getPath('home') } }),
  )
  ui.on('watchTrouble', (trouble) => notifier.say(watchNotification(trouble, context())))
  ui.on('windowVisibilityChanged', () => tracker.setVisible(window.isVisible()))
  ui.on('windowHidden', () => sayStillInTray())
  ui.on('shortcutTaken', (accelerator) => sayShortcutTaken(accelerator))

  core.events.on('workFinished', (record) => notifier.finished(record))
  core.events.on('draftChanged', (draft) => {
    // The page asks for them as soon as it has drawn the rows.
    if (window.isVisible()) parts.thumbnails.foresee(firstPaths(draft), thumbnailPixels(28))
  })
  watch.onChange(() => window.send('watchChanged', null))
  powerMonitor.on('suspend', () => tracker.suspend())
  powerMonitor.on('resume', () => tracker.resume())
  // On macOS an update closes the windows before `before-quit` comes: one that only hid would keep the app from ending.
  autoUpdater.on('before-quit-for-update', () => window.letGo())
  app.on('window-all-closed', () => {
    const { closeToTray } = settings.view()
    if (parts.ending.quitsWithLastWindow({ isTrayShown: parts.tray.isShown(), closeToTray })) app.quit()
  })

  /** Once in the life of an installation: the window is gone, the app is not. */
  function sayStillInTray(): void {
    if (settings.view().closeToTraySaid) return
    settings.update({ closeToTraySaid: true })
    const { t } = context()
    notifier.say({
      choice: 'service',
      title: t.notification.stillInTray,
      body: t.notification.stillInTrayBody,
      click: { do: 'settings' },
      buttons: [],
    })
  }

  function sayShortcutTaken(accelerator: string): void {
    const { error } = context().t
    const shortcut = accelerator.replaceAll('Control', 'Ctrl').replaceAll('+', ' + ')
    window.send('toast', {
      kind: 'error',
      error: {
        code: 'shortcutTaken',
        message: error.shortcutTaken({ shortcut }),
        hint: error.shortcutTakenHint,
      },
    })
  }
}

const firstPaths = ({ source }: Draft): readonly string[] =>
  source.kind === 'files' ? source.items.slice(0, FIRST_FILES).map(({ path }) => path) : []

/** What a person sees and clicks: the window, the tray and the notifications, and the actions that they share. */
import { app, BrowserWindow, nativeTheme, screen, shell } from 'electron'
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Core } from '../core/index.ts'
import { createActions } from './actions.ts'
import { whatClosingDoes } from './windows/closing.ts'
import { createMainWindow, type MainWindow } from './windows/main-window.ts'
import { createNativeNotifications } from './notifications/native-notification.ts'
import type { NotificationAction, ViewContext } from './notifications/notification-view.ts'
import { createNotifier, type Notifier } from './notifications/notifier.ts'
import { createPanelTray, type PanelTray } from './tray/tray.ts'
import type { Places } from './paths.ts'
import { createQuickDrop } from './launch/quick-drop.ts'
import type { TrayAction } from './tray/tray-view.ts'
import { placeKeeper, type PlaceStore } from './windows/window-bounds.ts'

export type SurfaceOptions = {
  readonly core: Core
  readonly places: Places
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly t: () => Translation
  readonly placeStore: PlaceStore
  readonly rendererLingerMs: number
  /** Takes what the clipboard holds into the draft. */
  readonly paste: () => Promise<void>
  /** The app is about to end, and a window that is closed stays closed. */
  readonly isQuitting: () => boolean
  readonly log: (message: string) => void
}

export type Surfaces = {
  readonly window: MainWindow
  readonly tray: PanelTray
  readonly notifier: Notifier
  readonly act: (action: TrayAction | NotificationAction) => void
  /** Files from outside the window: the tray, the dock, another start. */
  readonly takeFiles: (paths: readonly string[]) => void
  readonly context: () => ViewContext
}

export function createSurfaces(options: SurfaceOptions): Surfaces {
  const { core, places, platform, t, log } = options
  const { settings } = core
  const keeper = placeKeeper(options.placeStore)
  const context = (): ViewContext => ({ t: t(), homeFolder: app.getPath('home') })

  const window = createMainWindow({
    create: (windowOptions) => new BrowserWindow(windowOptions),
    preloadPath: places.preload,
    iconPath: places.appIcon,
    platform,
    devTools: !app.isPackaged,
    background: () => (nativeTheme.shouldUseDarkColors ? '#1a1e1c' : '#ffffff'),
    workAreas,
    savedPlace: keeper.read,
    savePlace: keeper.write,
    onClose: () =>
      whatClosingDoes({
        isQuitting: options.isQuitting(),
        isTrayShown: tray.isShown(),
        closeToTray: settings.view().closeToTray,
      }),
    onHidden: sayStillInTray,
    onVisibility: () => core.tracker.setVisible(window.isVisible()),
    lingerMs: options.rendererLingerMs,
    log,
  })

  const act = createActions({
    core,
    window,
    reveal: (path) => shell.showItemInFolder(path),
    paste: options.paste,
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

  const notifier = createNotifier({
    show: createNativeNotifications({ platform, iconPath: places.appIcon, onAction: act, log }),
    isInFront: () => window.isInFront(),
    state: () => core.state.get(),
    context,
    clock: () => Date.now(),
  })

  /** Once in the life of an installation: the window is gone, the app is not. */
  function sayStillInTray(): void {
    if (settings.view().closeToTraySaid) return
    settings.update({ closeToTraySaid: true })
    notifier.say({
      choice: 'service',
      title: t().notification.stillInTray,
      body: t().notification.stillInTrayBody,
      click: { do: 'settings' },
      buttons: [],
    })
  }

  return { window, tray, notifier, act, takeFiles, context }
}

/** The primary display first. */
function workAreas() {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return [primary, ...others].map((display) => display.workArea)
}

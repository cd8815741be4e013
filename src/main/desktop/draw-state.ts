/** Keeps tray, taskbar, menu bar and theme as the state and the settings want them. */
import { app, Menu, nativeTheme } from 'electron'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Events } from '../core/index.ts'
import type { StateStore } from '../state/state.ts'
import type { UiEvents } from './connect-ui.ts'
import { applicationMenu } from './menus/application-menu.ts'
import { followTaskbar } from './menus/taskbar.ts'
import type { Notifier } from './notifications/notifier.ts'
import type { TrayPresence } from './tray/tray-presence.ts'
import { trayView } from './tray/tray-view.ts'
import type { UserAction } from './user-action.ts'
import type { MainWindow } from './windows/main-window.ts'

export type DrawOptions = {
  readonly ui: Pick<Events<UiEvents>, 'on'>
  readonly state: StateStore
  readonly window: MainWindow
  readonly tray: TrayPresence
  readonly notifier: Notifier
  readonly platform: NodeJS.Platform
  readonly t: () => Translation
  readonly onAction: (action: UserAction) => void
  /** Whether this build has a web page that helps. */
  readonly hasHelp: boolean
  /** Whether there is a command that can be put on the path. */
  readonly hasCommand: boolean
  /** This start has been told that no tray can be seen. */
  readonly noTray: boolean
}

export function drawState({
  ui,
  state,
  window,
  tray,
  notifier,
  platform,
  t,
  onAction,
  hasHelp,
  hasCommand,
  noTray,
}: DrawOptions): void {
  const taskbar = followTaskbar({
    setProgress: (value) => window.current()?.setProgressBar(value),
    setBadge: (count) => app.setBadgeCount(count),
  })

  function draw(now: AppState): void {
    if (now.settings.showTray && !noTray) tray.show(trayView(now, t()))
    else tray.hide()
    taskbar.update(now)
  }
  function drawMenu(): void {
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(applicationMenu(platform, t(), { onAction, hasHelp, hasCommand })),
    )
  }

  state.onChange((now, before) => {
    draw(now)
    notifier.stateChanged(now, before)
    if (now.settings.language !== before.settings.language) drawMenu()
    if (now.settings.appearance !== before.settings.appearance) drawTheme(now)
  })
  ui.on('windowShown', () => taskbar.redraw())
  ui.on('windowEnding', () => taskbar.clear())
  nativeTheme.on('updated', () => tray.redraw())

  drawTheme(state.get())
  drawMenu()
  draw(state.get())
}

function drawTheme({ settings }: AppState): void {
  nativeTheme.themeSource = settings.appearance
}

/** Keeps tray, taskbar, menu bar and theme as the state and the settings want them. */
import { app, Menu, nativeTheme } from 'electron'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Core } from '../core/index.ts'
import { applicationMenu, type MenuActions } from './menus/application-menu.ts'
import type { Surfaces } from './surfaces.ts'
import { followTaskbar } from './menus/taskbar.ts'
import { trayView } from './tray/tray-view.ts'

export type DrawOptions = {
  readonly core: Core
  readonly surfaces: Surfaces
  readonly platform: NodeJS.Platform
  readonly t: () => Translation
  readonly menu: MenuActions
  /** This start has been told that no tray can be seen. */
  readonly noTray: boolean
}

export function drawState({ core, surfaces, platform, t, menu, noTray }: DrawOptions): void {
  const { window, tray, notifier } = surfaces
  const taskbar = followTaskbar({
    setProgress: (value) => window.current()?.setProgressBar(value),
    setBadge: (count) => app.setBadgeCount(count),
  })

  function draw(state: AppState): void {
    if (state.settings.showTray && !noTray) tray.show(trayView(state, t()))
    else tray.hide()
    taskbar(state)
  }
  function drawMenu(): void {
    Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(platform, t(), menu)))
  }

  core.state.onChange((state, before) => {
    draw(state)
    notifier.stateChanged(state, before)
    if (state.settings.language !== before.settings.language) drawMenu()
    if (state.settings.appearance !== before.settings.appearance) drawTheme(state)
  })
  core.events.on('workFinished', (record) => notifier.finished(record))
  nativeTheme.on('updated', () => tray.redraw())

  drawTheme(core.state.get())
  drawMenu()
  draw(core.state.get())
}

function drawTheme({ settings }: AppState): void {
  nativeTheme.themeSource = settings.appearance
}

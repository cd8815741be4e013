/** Updates the tray, taskbar, menu bar and theme when the state or the settings change, and forwards state changes to the notifier. */
import { app, Menu, nativeTheme } from 'electron'
import { callEach } from '../../node/call-each.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { StateStore } from '../state/state.ts'
import { applicationMenu } from './menus/application-menu.ts'
import { followTaskbar } from './menus/taskbar.ts'
import type { Shell } from './shell.ts'
import { trayView } from './tray/tray-view.ts'

export function drawState(
  options: Pick<Shell, 'ui' | 'window' | 'tray' | 'notifier' | 'platform' | 'act' | 't' | 'log'> & {
    readonly state: StateStore
    readonly hasHelp: boolean
    readonly hasCommand: boolean
    /** Whether `--no-tray` was passed. */
    readonly noTray: boolean
  },
): void {
  const { ui, state, window, tray, notifier, platform, t, act, hasHelp, hasCommand, noTray, log } = options
  /** Makes all calls even if some of them throw. Logs the errors instead of passing them to the module that changed the state. */
  const each = (...calls: readonly (() => void)[]): void =>
    callEach(calls, (error) => log(`could not draw the state: ${String(error)}`))
  const taskbar = followTaskbar(
    {
      setProgress: (value) => window.current()?.setProgressBar(value),
      setBadge: (count) => app.setBadgeCount(count),
    },
    platform,
  )

  function draw(now: AppState): void {
    each(
      () => (now.settings.showTray && !noTray ? tray.show(trayView(now, t())) : tray.hide()),
      () => taskbar.update(now),
    )
  }
  function drawMenu(): void {
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(applicationMenu(platform, t(), { onAction: act, hasHelp, hasCommand })),
    )
  }

  state.onChange((now, before) => {
    draw(now)
    each(
      () => notifier.stateChanged(now, before),
      () => {
        if (now.settings.language !== before.settings.language) drawMenu()
      },
      () => {
        if (now.settings.appearance !== before.settings.appearance) drawTheme(now)
      },
    )
  })
  ui.on('windowShown', () => taskbar.redraw())
  ui.on('windowEnding', () => taskbar.clear())
  nativeTheme.on('updated', () => tray.redraw())

  each(() => drawTheme(state.get()), drawMenu)
  draw(state.get())
}

function drawTheme({ settings }: AppState): void {
  nativeTheme.themeSource = settings.appearance
}

/** The tray as Electron has it. There may be none: some Linux desktops show no icons, and then the window is all there is. */
import { Menu, nativeImage, nativeTheme, systemPreferences, Tray } from 'electron'
import { createTrayHost } from './tray-host.ts'
import type { TrayAction, TrayIcon, TrayView } from './tray-view.ts'
import { createTrayIcon, type TrayIconControl } from './tray-icon.ts'

export type PanelTrayOptions = {
  readonly iconFolder: string
  readonly platform: NodeJS.Platform
  readonly onAction: (action: TrayAction) => void
  readonly onOpen: () => void
  readonly onFiles: (paths: readonly string[]) => void
  readonly log: (message: string) => void
}

export interface PanelTray {
  show(view: TrayView): void
  hide(): void
  isShown(): boolean
  redraw(): void
}

export function createPanelTray(options: PanelTrayOptions): PanelTray {
  let icon: TrayIconControl | undefined
  let impossible = false
  const host = createTrayHost(options.platform, process.env['XDG_CURRENT_DESKTOP'])

  function make(first: TrayIcon): TrayIconControl | undefined {
    try {
      return createTrayIcon({
        ...options,
        first,
        createTray: (image) => new Tray(image),
        buildMenu: (template) => Menu.buildFromTemplate(template),
        loadImage: (path) => nativeImage.createFromPath(path),
        isDark: () => nativeTheme.shouldUseDarkColors,
        reduceMotion: () => systemPreferences.getAnimationSettings().prefersReducedMotion,
        setTimer: (run, ms) => setTimeout(run, ms),
      })
    } catch (error) {
      impossible = true
      options.log(`there is no tray: ${String(error)}`)
      return undefined
    }
  }

  return {
    show(view) {
      if (!impossible) icon ??= make(view.icon)
      icon?.update(view)
    },
    hide() {
      icon?.remove()
      icon = undefined
    },
    isShown() {
      host.look()
      return icon !== undefined && host.mayShow()
    },
    redraw: () => icon?.redraw(),
  }
}

/** The tray as Electron has it. There may be none: some Linux desktops show no icons, and then the window is all there is. */
import { Menu, nativeImage, nativeTheme, systemPreferences, Tray } from 'electron'
import { createPanelTheme, createTrayHost } from './tray-host.ts'
import { createTrayIcon } from './tray-icon.ts'
import { createTrayPresence, type TrayPresence } from './tray-presence.ts'
import type { UserAction } from '../user-action.ts'

export type TrayOptions = {
  readonly iconFolder: string
  readonly platform: NodeJS.Platform
  readonly onAction: (action: UserAction) => void
  readonly onOpen: () => void
  readonly onFiles: (paths: readonly string[]) => void
  readonly log: (message: string) => void
}

export type AppTray = TrayPresence

export function createTray(options: TrayOptions): AppTray {
  const { platform } = options
  const desktop = process.env['XDG_CURRENT_DESKTOP']
  const isDark = createPanelTheme({ platform, desktop, theme: nativeTheme })
  return createTrayPresence({
    make: (first) =>
      createTrayIcon({
        ...options,
        first,
        createTray: (image) => new Tray(image),
        buildMenu: (template) => Menu.buildFromTemplate(template),
        loadImage: (path) => nativeImage.createFromPath(path),
        isDark,
        reduceMotion: () => systemPreferences.getAnimationSettings().prefersReducedMotion,
        setTimer: (run, ms) => setTimeout(run, ms),
      }),
    host: createTrayHost(platform, desktop),
    log: options.log,
  })
}

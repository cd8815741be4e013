/** Creates the Electron tray. Some Linux desktops don't show tray icons. The window is then the only UI. */
import { Menu, nativeImage, nativeTheme, systemPreferences, Tray } from 'electron'
import { isWaylandSession } from '../session-type.ts'
import { createPanelTheme, createTrayHost } from './tray-host.ts'
import { createTrayIcon, type TrayIconDeps } from './tray-icon.ts'
import { createTrayPresence, type TrayPresence } from './tray-presence.ts'

export function createTray(
  options: Pick<TrayIconDeps, 'iconFolder' | 'platform' | 'onAction' | 'onOpen' | 'onFiles' | 'log'>,
): TrayPresence {
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
      }),
    host: createTrayHost(platform, { desktop, isWayland: isWaylandSession(process.env) }),
    log: options.log,
  })
}

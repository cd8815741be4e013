/** How the window is made: what it looks like, and what its page may do. */
import type { BrowserWindowConstructorOptions } from 'electron'
import { MINIMUM_SIZE, type Rectangle } from './window-bounds.ts'

export type WindowLook = {
  readonly preloadPath: string
  readonly iconPath: string
  readonly platform: NodeJS.Platform
  readonly devTools: boolean
  readonly background: () => string
}

/** Hidden at first: it is shown once there is something to see. */
export const windowOptions = (
  { x, y, width, height }: Rectangle,
  { preloadPath, iconPath, platform, devTools, background }: WindowLook,
): BrowserWindowConstructorOptions => ({
  x,
  y,
  width,
  height,
  minWidth: MINIMUM_SIZE.width,
  minHeight: MINIMUM_SIZE.height,
  show: false,
  title: 'Mediatray',
  backgroundColor: background(),
  autoHideMenuBar: true,
  ...(platform === 'darwin' ? { titleBarStyle: 'hiddenInset', trafficLightPosition: { x: 16, y: 16 } } : {}),
  ...(platform === 'linux' ? { icon: iconPath } : {}),
  webPreferences: {
    preload: preloadPath,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
    spellcheck: false,
    devTools,
  },
})

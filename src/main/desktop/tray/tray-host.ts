/**
 * Detects whether the desktop shows tray icons, and whether its panel is dark. On Linux, Electron can't tell whether icons are
 * shown, and GNOME shows them only with an extension. Without a visible icon, closing to the tray would make the app unreachable,
 * so this asks the session bus.
 */
import { execFile } from 'node:child_process'
import type { NativeTheme } from 'electron'

export type TrayHost = ReturnType<typeof createTrayHost>

/** Asks the session bus whether a name has an owner; undefined if the bus can't be reached. */
export type AskBus = (name: string) => Promise<boolean | undefined>

const WATCHER = 'org.kde.StatusNotifierWatcher'
const TIMEOUT_MS = 2_000
const DESKTOP_STARTUP_MS = 5_000

/** @param desktop `XDG_CURRENT_DESKTOP`. All desktops except GNOME show tray icons, so only GNOME is checked. */
export function createTrayHost(
  platform: NodeJS.Platform,
  desktop: string | undefined,
  ask: AskBus = askWithDbusSend,
) {
  const mayLack = platform === 'linux' && /gnome/i.test(desktop ?? '')
  let known: boolean | undefined

  /** Whether the tray icon may be shown: only a missing host rules it out. */
  const mayShow = (): boolean => known ?? true

  async function askNow(): Promise<boolean> {
    if (mayLack) known = (await ask(WATCHER)) ?? known
    return mayShow()
  }

  /**
   * Resolves to whether the desktop shows tray icons. Checks twice, the second time after a delay, because the tray host may start
   * after the app.
   */
  async function shows(): Promise<boolean> {
    if (await askNow()) return true
    await new Promise((resolve) => setTimeout(resolve, DESKTOP_STARTUP_MS))
    return askNow()
  }

  void askNow()
  return {
    mayShow,
    /** Checks again, because an extension may have been turned on or off. */
    refresh: (): void => void askNow(),
    shows,
  }
}

const askWithDbusSend: AskBus = (name) =>
  new Promise((resolve) => {
    const bus = ['--session', '--print-reply=literal', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus']
    const call = ['org.freedesktop.DBus.NameHasOwner', `string:${name}`]
    execFile('dbus-send', [...bus, ...call], { timeout: TIMEOUT_MS }, (error, output) =>
      resolve(error === null ? /\btrue\b/.test(output) : undefined),
    )
  })

/**
 * Returns whether the panel behind the tray icon is dark. The panel follows the system, not the window's theme. Windows reports its
 * panel's theme, and GNOME's bar is always dark. Elsewhere the system theme is known only while the window follows it. macOS uses a
 * template icon and doesn't call this. Create it before applying the window's theme, so that the system theme is still known.
 */
export function createPanelTheme(options: {
  readonly platform: NodeJS.Platform
  /** `XDG_CURRENT_DESKTOP`. */
  readonly desktop: string | undefined
  readonly theme: Pick<
    NativeTheme,
    'themeSource' | 'shouldUseDarkColors' | 'shouldUseDarkColorsForSystemIntegratedUI'
  >
}): () => boolean {
  const { platform, desktop, theme } = options
  if (platform === 'win32') return () => theme.shouldUseDarkColorsForSystemIntegratedUI
  if (/gnome/i.test(desktop ?? '')) return () => true
  let systemIsDark = theme.shouldUseDarkColors
  return () => {
    if (theme.themeSource === 'system') systemIsDark = theme.shouldUseDarkColors
    return systemIsDark
  }
}

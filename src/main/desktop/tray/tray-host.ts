/**
 * What there is behind the tray icon: whether somebody shows tray icons, and whether their panel is dark. Electron can't tell
 * the first on Linux, and GNOME shows none without an extension: closing the window into such a tray would leave the app where
 * nobody finds it. The session bus knows.
 */
import { execFile } from 'node:child_process'
import type { NativeTheme } from 'electron'

export type TrayHost = {
  /** True until it is known that nobody does. */
  mayShow(): boolean
  /** An extension may have been switched on or off: asks again. */
  refresh(): void
  /** The answer itself. A desktop that has only just begun is asked twice: what shows icons may come after the app. */
  shows(): Promise<boolean>
}

/** Asks the session bus whether a name has an owner; undefined where it can't be asked. */
export type AskBus = (name: string) => Promise<boolean | undefined>

const WATCHER = 'org.kde.StatusNotifierWatcher'
const PATIENCE_MS = 2_000
const DESKTOP_BEGINS_MS = 5_000

/** @param desktop `XDG_CURRENT_DESKTOP`: the other desktops all show trays, and are not asked */
export function createTrayHost(
  platform: NodeJS.Platform,
  desktop: string | undefined,
  ask: AskBus = askWithDbusSend,
): TrayHost {
  const mayLack = platform === 'linux' && /gnome/i.test(desktop ?? '')
  let known: boolean | undefined

  const mayShow = (): boolean => known ?? true

  async function askNow(): Promise<boolean> {
    if (mayLack) known = (await ask(WATCHER)) ?? known
    return mayShow()
  }

  async function shows(): Promise<boolean> {
    if (await askNow()) return true
    await new Promise((resolve) => setTimeout(resolve, DESKTOP_BEGINS_MS))
    return askNow()
  }

  void askNow()
  return { mayShow, refresh: () => void askNow(), shows }
}

const askWithDbusSend: AskBus = (name) =>
  new Promise((resolve) => {
    const bus = ['--session', '--print-reply=literal', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus']
    const call = ['org.freedesktop.DBus.NameHasOwner', `string:${name}`]
    execFile('dbus-send', [...bus, ...call], { timeout: PATIENCE_MS }, (error, said) =>
      resolve(error === null ? /\btrue\b/.test(said) : undefined),
    )
  })

export type PanelThemeOptions = {
  readonly platform: NodeJS.Platform
  /** `XDG_CURRENT_DESKTOP` */
  readonly desktop: string | undefined
  readonly theme: Pick<
    NativeTheme,
    'themeSource' | 'shouldUseDarkColors' | 'shouldUseDarkColorsForSystemIntegratedUI'
  >
}

/**
 * Whether the panel behind the tray icon is dark. It is the system's and does not follow the theme that was chosen for the
 * window: Windows tells of its own, GNOME's bar is always dark, and elsewhere the system's theme is known only while the
 * window follows it. On macOS the icon is a template, and this is not asked.
 *
 * Made before the window's theme is chosen, so that the system's is known.
 */
export function createPanelTheme({ platform, desktop, theme }: PanelThemeOptions): () => boolean {
  if (platform === 'win32') return () => theme.shouldUseDarkColorsForSystemIntegratedUI
  if (/gnome/i.test(desktop ?? '')) return () => true
  let systemIsDark = theme.shouldUseDarkColors
  return () => {
    if (theme.themeSource === 'system') systemIsDark = theme.shouldUseDarkColors
    return systemIsDark
  }
}

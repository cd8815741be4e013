/**
 * Detects whether the desktop shows tray icons, and whether its panel is dark. On Linux, Electron can't tell whether icons are
 * shown: GNOME needs an extension for them, and many Wayland compositors need a bar. Without a visible icon, closing to the tray
 * would make the app unreachable, so this asks the session bus.
 */
import { execFile } from 'node:child_process'
import type { NativeTheme } from 'electron'

export type TrayHost = ReturnType<typeof createTrayHost>

/** Asks the session bus whether a program shows tray icons; undefined if the bus can't be reached. */
export type AskBus = () => Promise<boolean | undefined>

const TIMEOUT_MS = 2_000
const DESKTOP_STARTUP_MS = 5_000
/** Delays in ms before looking for a missing program again: the desktop may still be starting, or the user may turn on an extension. */
const RETRIES_MS = [DESKTOP_STARTUP_MS, 30_000, 180_000]

/**
 * On X11, only GNOME and Pantheon are checked, because all other desktops show tray icons.
 * @param session `XDG_CURRENT_DESKTOP` and `XDG_SESSION_TYPE`
 */
export function createTrayHost(
  platform: NodeJS.Platform,
  session: { readonly desktop: string | undefined; readonly isWayland: boolean },
  ask: AskBus = askWithDbusSend,
) {
  const mayLack = platform === 'linux' && (session.isWayland || /gnome|pantheon/i.test(session.desktop ?? ''))
  const retries = [...RETRIES_MS]
  let known: boolean | undefined
  let onAppeared: (() => void) | undefined

  /** Whether the tray icon may be shown: only a missing host rules it out. */
  const mayShow = (): boolean => known ?? true

  async function askNow(): Promise<boolean> {
    if (!mayLack) return true
    const answer = await ask()
    const hasAppeared = known === false && answer === true
    known = answer ?? known
    if (hasAppeared) onAppeared?.()
    return mayShow()
  }

  async function follow(): Promise<void> {
    if (await askNow()) return
    const delay = retries.shift()
    if (delay !== undefined) setTimeout(() => void follow(), delay).unref()
  }

  void follow()
  return {
    mayShow,
    /** Checks again, because an extension may have been turned on or off. */
    refresh: (): void => void askNow(),
    /**
     * Resolves to whether the desktop shows tray icons. If it doesn't, checks again after a delay, because the tray host may start after
     * the app.
     */
    async shows(): Promise<boolean> {
      if (await askNow()) return true
      await new Promise((resolve) => setTimeout(resolve, DESKTOP_STARTUP_MS))
      return askNow()
    },
    /** Calls `next` when a missing tray host has appeared. */
    onAppeared: (next: () => void): void => void (onAppeared = next),
  }
}

const WATCHER = 'org.kde.StatusNotifierWatcher'

const askWithDbusSend: AskBus = () =>
  new Promise((resolve) => {
    const call = [`--dest=${WATCHER}`, '/StatusNotifierWatcher', 'org.freedesktop.DBus.Properties.Get']
    const asked = [`string:${WATCHER}`, 'string:IsStatusNotifierHostRegistered']
    execFile(
      'dbus-send',
      ['--session', '--print-reply=literal', ...call, ...asked],
      { timeout: TIMEOUT_MS },
      (error, output, problem) => {
        if (error === null) resolve(/\btrue\b/.test(output))
        // Without this prefix, the bus itself can't be reached.
        else resolve(problem.startsWith('Error org.') ? false : undefined)
      },
    )
  })

/**
 * Creates a function that returns whether the panel behind the tray icon is dark. The panel follows the system, not the window's theme.
 * Windows reports its panel's theme, and GNOME's bar is always dark. Elsewhere the system theme is known only while the window follows it.
 * macOS uses a template icon instead. Create the function before applying the window's theme, so that the system theme is still known.
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

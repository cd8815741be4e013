/**
 * Whether somebody shows tray icons. Electron can't tell on Linux, and GNOME shows none without an extension: closing the
 * window into such a tray would leave the app where nobody finds it. The session bus knows.
 */
import { execFile } from 'node:child_process'

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

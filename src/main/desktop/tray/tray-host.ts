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
}

/** Asks the session bus whether a name has an owner; undefined where it can't be asked. */
export type AskBus = (name: string) => Promise<boolean | undefined>

const WATCHER = 'org.kde.StatusNotifierWatcher'
const PATIENCE_MS = 2_000

/** @param desktop `XDG_CURRENT_DESKTOP`: the other desktops all show trays, and are not asked */
export function createTrayHost(
  platform: NodeJS.Platform,
  desktop: string | undefined,
  ask: AskBus = askWithDbusSend,
): TrayHost {
  const mayLack = platform === 'linux' && /gnome/i.test(desktop ?? '')
  let known: boolean | undefined

  function refresh(): void {
    if (!mayLack) return
    void ask(WATCHER).then((answer) => {
      known = answer ?? known
    })
  }
  refresh()
  return { mayShow: () => known ?? true, refresh }
}

const askWithDbusSend: AskBus = (name) =>
  new Promise((resolve) => {
    const bus = ['--session', '--print-reply=literal', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus']
    const call = ['org.freedesktop.DBus.NameHasOwner', `string:${name}`]
    execFile('dbus-send', [...bus, ...call], { timeout: PATIENCE_MS }, (error, said) =>
      resolve(error === null ? /\btrue\b/.test(said) : undefined),
    )
  })

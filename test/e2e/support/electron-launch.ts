/** Arguments and environment that start the real runtime for a spec, on each system. Pure. */
import { join } from 'node:path'
import type { LaunchOptions } from '../../stand-in/driver.ts'

export type ElectronLaunch = {
  readonly args: readonly string[]
  readonly env: { [name: string]: string }
}

export type LaunchSurroundings = {
  readonly root: string
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A script that redirects everything that environment variables don't reach. */
export const ISOLATE_USER = join(import.meta.dirname, 'isolate-user.cjs')
/** A script that records what the app shows outside its windows. */
export const DESKTOP_PORT = join(import.meta.dirname, 'desktop-port.cjs')

/**
 * Returns the arguments and environment for a spec. Passes the project folder rather than its main file, because Electron reads the
 * app's name and version there. Redirects every variable for the home folder to the spec's home, so that no user data is read or
 * changed.
 */
export function electronLaunch(
  options: Pick<LaunchOptions, 'args' | 'env' | 'locale'>,
  { root, home, platform, environment }: LaunchSurroundings,
): ElectronLaunch {
  const locale = options.locale === undefined ? [] : [`--lang=${options.locale}`]
  const wanted = { ...environment, ...homeVariables(home, platform), ...options.env }
  return {
    args: [...locale, '-r', ISOLATE_USER, '-r', DESKTOP_PORT, root, ...(options.args ?? [])],
    env: Object.fromEntries(
      Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }
}

function homeVariables(home: string, platform: NodeJS.Platform): { readonly [name: string]: string } {
  // The data folder the specs expect, regardless of the system's default.
  const data = { HOME: home, MEDIATRAY_DATA_DIR: join(home, '.config', 'Mediatray') }
  switch (platform) {
    case 'win32':
      return {
        ...data,
        USERPROFILE: home,
        APPDATA: join(home, 'AppData', 'Roaming'),
        LOCALAPPDATA: join(home, 'AppData', 'Local'),
      }
    case 'darwin':
      return { ...data, CFFIXED_USER_HOME: home }
    default:
      return {
        ...data,
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_DATA_HOME: join(home, '.local', 'share'),
        XDG_CACHE_HOME: join(home, '.cache'),
        XDG_STATE_HOME: join(home, '.local', 'state'),
      }
  }
}

/** @returns why a spec can't run on the real runtime on this system; undefined if it can */
export function reasonNotOnElectron(
  options: Partial<LaunchOptions>,
  platform: NodeJS.Platform,
): string | undefined {
  if (options.platform !== undefined && options.platform !== platform) return `it is for ${options.platform}`
  const conditions = [
    options.noTray === true && 'a desktop without a tray',
    options.noReadyToShow === true && 'a window that never says that it was painted',
    options.takenShortcuts !== undefined && 'a shortcut of another app',
    Object.keys(options.env ?? {}).some((name) => name.startsWith('MEDIATRAY_STAND_IN_')) &&
      'a made-up package',
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? undefined : `only the stand-in has ${conditions.join(' and ')}`
}

/** How the real runtime is started for a spec: its arguments and environment, on each system. Pure. */
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

/**
 * The folder of the project, not its main file: from there Electron reads the name and version of the app. The home is the
 * spec's by every name that a system has for it, so that nothing of a person's is read or changed.
 */
export function electronLaunch(
  options: Pick<LaunchOptions, 'args' | 'env' | 'locale'>,
  { root, home, platform, environment }: LaunchSurroundings,
): ElectronLaunch {
  const locale = options.locale === undefined ? [] : [`--lang=${options.locale}`]
  const wanted = { ...environment, ...homeVariables(home, platform), ...options.env }
  return {
    args: [...locale, root, ...(options.args ?? [])],
    env: Object.fromEntries(
      Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }
}

function homeVariables(home: string, platform: NodeJS.Platform): { readonly [name: string]: string } {
  // Where the specs look for what the app keeps, whatever the system's own place for it is.
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

/** @returns why the real runtime on this system can't give a spec what it asks for; undefined where it can */
export function reasonNotOnElectron(
  options: Partial<LaunchOptions>,
  platform: NodeJS.Platform,
): string | undefined {
  if (options.platform !== undefined && options.platform !== platform) return `it is for ${options.platform}`
  const conditions = [
    options.noTray === true && 'a desktop without a tray',
    options.noNotifications === true && 'a desktop without notifications',
    options.noReadyToShow === true && 'a window that never says that it was painted',
    options.takenShortcuts !== undefined && 'a shortcut of another app',
    Object.keys(options.env ?? {}).some((name) => name.startsWith('MEDIATRAY_STAND_IN_')) &&
      'a made-up package',
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? undefined : `only the stand-in has ${conditions.join(' and ')}`
}

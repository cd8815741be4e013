import { posix, win32 } from 'node:path'

/** The facts that determine the location of the app's data. */
export type Places = {
  readonly env: NodeJS.ProcessEnv
  /** The folder in which the user ran the command. Relative paths refer to it. */
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
}

const pathsOf = (platform: NodeJS.Platform) => (platform === 'win32' ? win32 : posix)

/** Returns the app's data folder: MEDIATRAY_DATA_DIR if set, otherwise the platform's default. */
export function dataFolder({ env, home, platform, cwd }: Places): string {
  const chosen = env['MEDIATRAY_DATA_DIR']
  const paths = pathsOf(platform)
  if (chosen) return paths.resolve(cwd, chosen)
  switch (platform) {
    case 'darwin':
      return paths.join(home, 'Library', 'Application Support', 'Mediatray')
    case 'win32':
      return paths.join(env['APPDATA'] ?? paths.join(home, 'AppData', 'Roaming'), 'Mediatray')
    default:
      return paths.join(env['XDG_CONFIG_HOME'] || paths.join(home, '.config'), 'Mediatray')
  }
}

/** Returns the folder that contains the built-in service's presets, jobs and uploads. */
export const builtInServiceFolder = (places: Places): string =>
  pathsOf(places.platform).join(dataFolder(places), 'service')

export const presetFolder = (places: Places): string =>
  pathsOf(places.platform).join(builtInServiceFolder(places), 'presets')

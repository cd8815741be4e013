import { posix, win32 } from 'node:path'
import type { Timing } from '../../node/timing.ts'

/** Everything the command line takes from the outside, so that a test can hold it. */
export type Environment = {
  /** Without the program's own name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where relative paths begin: the folder in which the person typed the command. */
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Results. */
  readonly stdout: Sink
  /** Progress and complaints. */
  readonly stderr: Sink
  readonly readKey: () => Promise<string | undefined>
  readonly timing: Timing
  /** Ends when the person presses Ctrl-C. */
  readonly interrupted: AbortSignal
  /** The file that node runs to start the built-in service. */
  readonly builtInEntry: string
  /** What the packages carry, under which licences. */
  readonly noticesFile: string
}

export type Sink = {
  write(text: string): void
  /** In columns; undefined where it is no terminal. */
  readonly columns: number | undefined
}

const pathsOf = (platform: NodeJS.Platform) => (platform === 'win32' ? win32 : posix)

/** Where the app keeps its own data: MEDIATRAY_DATA_DIR, or the place that the platform has for it. */
export function dataFolder({
  env,
  home,
  platform,
  cwd,
}: Pick<Environment, 'env' | 'home' | 'platform' | 'cwd'>): string {
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

/** Where the built-in service keeps its presets, jobs and uploads. */
export const builtInServiceFolder = (environment: Environment): string =>
  pathsOf(environment.platform).join(dataFolder(environment), 'service')

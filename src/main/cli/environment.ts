import { posix, win32 } from 'node:path'
import type { NodeChild } from '../../node/child-process.ts'
import type { Timing } from '../../node/timing.ts'

/** Everything that the command line gets from its environment, so that tests can replace it. */
export type Environment = {
  /** The arguments without the program name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which the user ran the command. Relative paths refer to it. */
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Receives results. */
  readonly stdout: Sink & {
    /** Writes a file's content. Resolves with false if the reader closed the stream. null for a terminal, or if stdout is closed. */
    readonly binary: ((content: AsyncIterable<Uint8Array>) => Promise<boolean>) | null
    /** Aborted when the reader has closed the stream. Only a command that does nothing but show something ends then. */
    readonly closed: AbortSignal
  }
  /** Reads stdin once. null for a terminal. */
  readonly stdin: (() => AsyncIterable<Uint8Array>) | null
  /** Receives progress and error messages. */
  readonly stderr: Sink
  readonly readKey: () => Promise<string | undefined>
  /** Asks a question that is answered with yes or no; null if there is no terminal to ask on. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** Starts this program again with other arguments. The new process outlives this one and can't write to the terminal. */
  readonly startDetached: (argv: readonly string[]) => void
  readonly timing: Timing
  /** Aborted when the command has to end; with `USER_CANCEL` as its reason if the user pressed Ctrl-C. */
  readonly interrupted: AbortSignal
  /** Path of the script that Node runs as the built-in service. */
  readonly builtInEntry: string
  readonly standby?: Standby | undefined
  readonly owner?: Owner | undefined
  /** Path of the file that lists third-party components and their licenses. */
  readonly noticesFile: string
  /** The folder in which Linux describes each power supply. */
  readonly powerSupplies: string
}

/**
 * Why a command ends when the user presses Ctrl-C. Any other end, such as SIGTERM from a service manager or a reader that has closed the
 * pipe, is only the end of the process: it cancels no jobs.
 */
export const USER_CANCEL = new DOMException('The user pressed Ctrl-C.', 'AbortError')

export type Owner = {
  readonly service: import('./service-choice.ts').ChosenService
  readonly core: import('../core/index.ts').Core
  busy(): boolean
  close(): Promise<void>
}

/** A process of the built-in service that waits for its arguments. */
export type Standby = {
  /** Starts the service in the process. @returns undefined if the process is already in use or was ended */
  take(start: { readonly args: readonly string[]; readonly key: string }): NodeChild | undefined
  /** Ends the process unless it is in use. */
  end(): void
}

export type Sink = {
  write(text: string): void
  /** Width in columns; undefined if the output isn't a terminal. */
  readonly columns: number | undefined
}

const pathsOf = (platform: NodeJS.Platform) => (platform === 'win32' ? win32 : posix)

/** What decides where the app's data is. */
export type Places = Pick<Environment, 'env' | 'home' | 'platform' | 'cwd'>

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

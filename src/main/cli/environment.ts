import type { Timing } from '../../node/timing.ts'

/** Everything the command line takes from the outside, so that a test can hold it. */
export type Surroundings = {
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
}

export type Sink = {
  write(text: string): void
  /** In columns; undefined where it is no terminal. */
  readonly columns: number | undefined
}

/**
 * The messages between a client and the owner of a data folder. A client is a terminal: it sends a command with its environment, and gets
 * what the command writes. The command runs in the owner's process.
 */

/**
 * The first messages of the connecting side. Keep `hello`, `proof`, `yield`, `replace` and `end` unchanged, because other versions use them
 * to end the owner.
 */
export type Greeting =
  | { readonly type: 'hello'; readonly version: string; readonly challenge: string }
  | { readonly type: 'proof'; readonly proof: string }

/** The answer to `hello`. */
type OwnersProof = {
  readonly type: 'proof'
  readonly version: string
  readonly challenge: string
  readonly proof: string
  readonly pid: number
}

/** The answers to `hello`, and to the proof of a client of the same version. */
export type Greeted = OwnersProof | { readonly type: 'accepted' }

export type StreamKind = 'terminal' | 'pipe' | 'closed'

/** Width of each output in columns; null if it isn't a terminal. */
export type Widths = { readonly stdout: number | null; readonly stderr: number | null }

export type Command = {
  readonly type: 'run'
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly home: string
  readonly umask: number
  readonly stdout: StreamKind
  readonly widths: Widths
  /** Whether stdin is a terminal. */
  readonly hasTerminal: boolean
  /** Whether questions can be asked: stdin and stderr are terminals. */
  readonly canConfirm: boolean
}

/** What the next owner continues of a command whose owner was killed: all of it, only what it has submitted, or perhaps nothing. */
export type Continued = 'everything' | 'submissions' | 'perhaps'

export type FromClient = Greeting | ClientMessage

/** What a client sends once both sides have proven who they are. */
export type ClientMessage =
  | Command
  /** The user has changed the size of the terminal. */
  | { readonly type: 'resized'; readonly widths: Widths }
  /** A part of stdin; null at its end. */
  | { readonly type: 'stdin'; readonly bytes: Uint8Array | null }
  /** The first line of stdin; null if there is none. */
  | { readonly type: 'line'; readonly text: string | null }
  | { readonly type: 'answer'; readonly isYes: boolean }
  /** The process was interrupted. `isUsers`: with Ctrl-C, which cancels the command's jobs. Otherwise, only the process ends. */
  | { readonly type: 'interrupt'; readonly isUsers: boolean }
  /** The reader of stdout has closed it. */
  | { readonly type: 'closed' }
  /** The last `bytes` were written, or couldn't be written for the reason in `failed`. */
  | { readonly type: 'written'; readonly failed: { readonly code: string; readonly message: string } | null }
  | { readonly type: 'ping' }
  /** The app has started and takes over, including the built-in service. */
  | { readonly type: 'yield' }
  /** Nothing may stay behind, because the first process of the container ends. */
  | { readonly type: 'end' }
  /** The owner must end and continue no command, because the program's files are about to be replaced or removed. */
  | { readonly type: 'update' }
  /** A command of another version requests that an idle host ends. */
  | { readonly type: 'replace' }

export type FromOwner =
  | Greeted
  | { readonly type: 'out' | 'err'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'read' }
  | { readonly type: 'readLine' }
  | { readonly type: 'ask'; readonly question: string }
  | { readonly type: 'exit'; readonly code: number }
  /** A part of the command is on disk now, or will perhaps be soon. */
  | { readonly type: 'stored'; readonly continued: Continued }
  /** The owner makes room for another owner, which continues the command with these arguments. */
  | { readonly type: 'moved'; readonly argv: readonly string[] }
  | { readonly type: 'pong' }
  /** The owner refuses to be replaced, because it is the app or is busy. */
  | { readonly type: 'working' }

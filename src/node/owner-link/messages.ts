/**
 * The messages between a client and the owner of a data folder. A client is a terminal: it sends a command with its environment, and
 * receives the command's output. The command runs in the owner's process. The client only imports types from here, because it starts faster
 * without zod.
 */
import * as z from 'zod'

const short = z.string().max(200)
/**
 * The first messages of the connecting side. Keep `hello`, `proof`, `yield`, `replace` and `end` unchanged, because other versions use them
 * to end the owner.
 */
export const Hello = z.object({ type: z.literal('hello'), version: short, challenge: short })
export const ClientsProof = z.object({ type: z.literal('proof'), proof: short })
export type Greeting = z.output<typeof Hello> | z.output<typeof ClientsProof>

type OwnersProof = {
  readonly type: 'proof'
  readonly version: string
  readonly challenge: string
  readonly proof: string
  readonly pid: number
}

/** The answers to `hello`, and to the proof of a client of the same version. */
export type Greeted = OwnersProof | { readonly type: 'accepted' }

/** Maximum number of arguments, far more than a shell passes to a program. */
const MOST_ARGUMENTS = 200_000
const text = z.string().max(1024 * 1024)

export type StreamKind = z.output<typeof StreamKind>
const StreamKind = z.enum(['terminal', 'pipe', 'closed'])

export type Widths = Command['widths']
const columns = z.int().min(1).nullable()
/** Width of each output in columns; null if it isn't a terminal. */
const widths = z.object({ stdout: columns, stderr: columns })

export type Command = z.output<typeof Command>
const Command = z.object({
  type: z.literal('run'),
  argv: z.array(text).max(MOST_ARGUMENTS),
  env: z.record(text, text),
  cwd: text,
  home: text,
  umask: z.int().min(0).max(0o7777),
  stdout: StreamKind,
  widths,
  /** Whether stdin is a terminal. */
  hasTerminal: z.boolean(),
  /** Whether questions can be asked: stdin and stderr are terminals. */
  canConfirm: z.boolean(),
})

/** How much of a command the next owner continues if the current one is killed: all of it, only its submissions, or perhaps nothing. */
export type Continued = 'everything' | 'submissions' | 'perhaps'

export type FromClient = Greeting | ClientMessage

export type ClientMessage = z.output<typeof ClientMessage>
/** The messages from a client after both sides have proven who they are. */
export const ClientMessage = z.discriminatedUnion('type', [
  Command,
  z.object({ type: z.literal('resized'), widths }),
  /** A part of stdin; null at its end. */
  z.object({ type: z.literal('stdin'), bytes: z.instanceof(Uint8Array).nullable() }),
  /** The first line of stdin; null if there is none. */
  z.object({ type: z.literal('line'), text: text.nullable() }),
  z.object({ type: z.literal('answer'), isYes: z.boolean() }),
  /** The process was interrupted. `isUsers`: with Ctrl-C, which cancels the command's jobs. Otherwise, only the process ends. */
  z.object({ type: z.literal('interrupt'), isUsers: z.boolean() }),
  /** The reader of stdout has closed it. */
  z.object({ type: z.literal('closed') }),
  /** The last `bytes` were written, or couldn't be written for the reason in `failed`. */
  z.object({ type: z.literal('written'), failed: z.object({ code: text, message: text }).nullable() }),
  z.object({ type: z.literal('ping') }),
  /** The app has started and takes over, including the built-in service. */
  z.object({ type: z.literal('yield') }),
  /** The owner must leave nothing running, because the first process of the container ends. */
  z.object({ type: z.literal('end') }),
  /** The owner must end without continuing any command, because the program's files are about to be replaced or removed. */
  z.object({ type: z.literal('update') }),
  /** A command of another version requests that an idle host ends. */
  z.object({ type: z.literal('replace') }),
])

export type FromOwner =
  | Greeted
  | { readonly type: 'out' | 'err'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'read' }
  | { readonly type: 'readLine' }
  | { readonly type: 'ask'; readonly question: string }
  | { readonly type: 'exit'; readonly code: number }
  /** A part of the command is on disk now, or may be soon. */
  | { readonly type: 'stored'; readonly continued: Continued }
  /** The owner makes room for another owner, which continues the command with these arguments. */
  | { readonly type: 'moved'; readonly argv: readonly string[] }
  | { readonly type: 'pong' }
  /** The owner refuses to be replaced, because it is the app or is busy. */
  | { readonly type: 'working' }

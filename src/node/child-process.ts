/** Starts programs, Node's own among them. Each child is heard to its end, ends once, and does not outlive this process. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'

export type ChildEnd = {
  /** null where a signal ended the child, or it could not be started. */
  readonly code: number | null
  readonly signal: string | null
  /** Why it could not be started. */
  readonly startError?: NodeJS.ErrnoException
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string
}

export type Child = {
  /** Has to be read: a child whose output nobody takes stops, and its end is never seen. */
  readonly stdout: Readable
  /** Everything that the child wrote has been read by then. Never rejects. */
  readonly ended: Promise<ChildEnd>
  /** Asks it to end in order. */
  readonly terminate: () => void
  /** Ends it at once. */
  readonly kill: () => void
}

/** A child that is talked to in messages and has no stdout. */
export type WorkerChild = Omit<Child, 'stdout' | 'terminate'> & {
  /** What is sent to one that has just ended is lost; `ended` tells. */
  readonly send: (message: object) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

export type ChildOptions = {
  readonly args?: readonly string[]
  /** All of it; by default this process's own. */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly onStderrLine?: (line: string) => void
}

export type NodeOptions = ChildOptions & {
  /** Written to its stdin, which then stays open. */
  readonly input?: string
  /** Besides those that every Node of ours is started with. */
  readonly nodeOptions?: readonly string[]
  /** A Node executable; by default the one that runs this. */
  readonly execPath?: string
}

export type WorkerOptions = NodeOptions & {
  /** A program with its arguments that starts the Node in our stead, and hands on what it has inherited. */
  readonly wrapper?: readonly string[]
}

const REMEMBERED_STDERR = 4_096

/**
 * No inspector that another program of the user could open by a signal, and no `__proto__` by which what is read could change
 * the program's own objects.
 */
const HARDENED = ['--disable-sigusr1', '--disable-proto=delete']
/**
 * By these a process would run other code than ours; a GLib that is loaded before sharp's own makes it fail. The key of a service
 * goes through a pipe where it is needed.
 */
const NOT_INHERITED = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'MEDIATRAY_API_KEY',
]

/** Starts a program that knows nothing of us, so it is ended together with this process. */
export function startProgram(program: string, options: ChildOptions = {}): Child {
  const child = spawn(program, options.args ?? [], {
    ...settingsOf(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  return {
    stdout: child.stdout ?? emptyStream(),
    ...follow(child, options),
    terminate: () => void child.kill('SIGTERM'),
  }
}

/**
 * Starts a script of ours with Node. Its stdin stays open as long as we live and want it: by its end it notices that it shall
 * end, or that its parent has gone, however that came. Not every system has a signal that a process can answer.
 *
 * @param entry absolute
 */
export function startNode(entry: string, options: NodeOptions = {}): Child {
  const { execPath = process.execPath, nodeOptions = [], args = [] } = options
  const child = spawn(execPath, [...HARDENED, ...nodeOptions, entry, ...args], {
    ...settingsOf(options),
    env: environmentOf(options),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {})
  if (options.input !== undefined) child.stdin?.write(options.input)
  return {
    stdout: child.stdout ?? emptyStream(),
    ...follow(child, options),
    terminate: () => void child.stdin?.end(),
  }
}

/**
 * Starts a script of ours that is talked to in messages. It notices by their end ('disconnect') that its parent has gone.
 * Whatever it prints is dropped, because stdout may be a protocol of ours with somebody else.
 */
export function startWorker(entry: string, options: WorkerOptions = {}): WorkerChild {
  const { execPath = process.execPath, nodeOptions = [], wrapper = [] } = options
  const [program, ...args] = [...wrapper, execPath]
  const child = fork(entry, options.args ?? [], {
    ...settingsOf(options),
    env: environmentOf(options),
    execPath: program,
    execArgv: [...args, ...HARDENED, ...nodeOptions],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  return {
    ...follow(child, options),
    send: (message) => void (child.connected && child.send(message, () => {})),
    onMessage: (listener) => void child.on('message', listener),
  }
}

/** For a person, such as "exit code 1". */
export function describeEnd({ code, signal, startError }: ChildEnd): string {
  if (startError !== undefined) return startError.message
  return signal === null ? `exit code ${code}` : `signal ${signal}`
}

/** The last of what a stream says, as much as is worth keeping for the reason of a failure. */
function tailOf(stream: NodeJS.ReadableStream | null): () => string {
  let tail = ''
  stream?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-REMEMBERED_STDERR)
  })
  return () => tail.trim()
}

const settingsOf = ({ env, cwd }: ChildOptions) => ({
  env: env ?? process.env,
  ...(cwd === undefined ? {} : { cwd }),
  windowsHide: true,
})

const environmentOf = ({ env = process.env }: ChildOptions): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_INHERITED.includes(name.toUpperCase())))

function follow(child: ChildProcess, { onStderrLine }: ChildOptions): Pick<Child, 'ended' | 'kill'> {
  const stderrTail = tailOf(child.stderr)
  if (onStderrLine && child.stderr) createInterface({ input: child.stderr }).on('line', onStderrLine)
  const { promise: ended, resolve } = Promise.withResolvers<ChildEnd>()
  // 'close' comes after stderr has been read to its end; a child that never started has 'error' alone.
  child.once('close', (code, signal) => resolve({ code, signal, stderrTail: stderrTail() }))
  child.on('error', (startError) => {
    if (child.pid === undefined) resolve({ code: null, signal: null, startError, stderrTail: '' })
  })
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}

const living = new Set<ChildProcess>()

function endWithUs(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (living.size === 0) process.once('exit', endAll)
  living.add(child)
  child.once('exit', () => {
    living.delete(child)
    if (living.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of living) child.kill('SIGKILL')
}

/** Where a process has no descriptors left, Node makes a child without streams. */
const emptyStream = (): Readable => new PassThrough().end()

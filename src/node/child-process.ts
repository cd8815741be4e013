/** Starts child processes: programs and Node scripts. Children end when this process ends, unless they were released. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Readable, Writable } from 'node:stream'
import { messageOf } from './errors.ts'
import { createFamily, FAMILY, type Family } from './process-family.ts'
import { createFrameReader, frameOf } from './message-frames.ts'

export type ChildEnd = {
  /** null if a signal ended the child or it couldn't be started. */
  readonly code: number | null
  readonly signal: string | null
  readonly startError?: NodeJS.ErrnoException
  readonly stderrTail: string
}

export type Child = {
  /** Must be read. Otherwise the child blocks when its output fills the pipe, and `ended` never resolves. */
  readonly stdout: Readable
  /** Resolves after all output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>
  readonly terminate: () => void
  readonly kill: () => void
}

export type Program = Child & {
  readonly hasExited: () => boolean
}

/** A Node script whose stdin stays open until `terminate` or `release`. */
export type NodeChild = Child & {
  /** Detaches the child: this process may end first, and no longer reads the child's output. */
  readonly release: () => void
}

/**
 * How a worker ended. If it couldn't be started or was killed for an invalid message, `code` and `signal` are null and `stderrTail`
 * contains the reason.
 */
export type WorkerEnding = Omit<ChildEnd, 'startError'>

/** A child that communicates through messages and has no stdout. */
export type WorkerChild<Sent extends object = object> = Pick<Child, 'terminate'> & {
  readonly ended: Promise<WorkerEnding>
  /** Sends a message. If the child has just ended, the message is lost and `ended` reports the end. */
  readonly send: (message: Sent) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** Kills the child immediately. If `why` is given, `ended` reports it, and further messages are ignored. */
  readonly kill: (why?: string) => void
}

export type ChildOptions = {
  readonly args?: readonly string[]
  /** The environment. Defaults to the environment of this process. Node children and workers get only some of its variables. */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly onStderrLine?: (line: string) => void
  /** Bytes that a program or a worker can read from descriptor 4. Ignored by `startNode`. */
  readonly inheritedData?: Uint8Array | undefined
}

export type ProgramOptions = ChildOptions & {
  /** Written to the program's stdin. Without it, the program has no stdin. */
  readonly input?: string
  /**
   * Whether `terminate` and `kill` also end the programs that this one has started. On Linux, this includes programs in another session.
   * `ended` then resolves even if one of them keeps the output open.
   */
  readonly asGroup?: boolean
}

export type NodeOptions = ChildOptions & {
  /** Node options, in addition to those that every Node child gets. */
  readonly nodeOptions?: readonly string[]
  /** The Node executable. Defaults to the current one. */
  readonly execPath?: string
}

export type WorkerOptions = NodeOptions & {
  /** A program with arguments that starts Node. It must pass on inherited descriptors. */
  readonly wrapper?: readonly string[]
}

const REMEMBERED_STDERR = 4_096

/**
 * Hardens a Node child: the user's other programs can't open its inspector with a signal, and parsed input can't change built-in
 * objects through `__proto__`.
 */
const HARDENED = ['--disable-sigusr1', '--disable-proto=delete']
/**
 * Variables that a child must not inherit: those that would make it run other code, and those with secrets. A GLib that is loaded before
 * sharp's own makes sharp fail. The built-in service creates its own API key.
 */
const NOT_INHERITED = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'MEDIATRAY_API_KEY',
  'MEDIATRAY_SIGNING_KEY',
  'MEDIATRAY_RECEIVERS',
]

/** The variables that a worker needs. Any other variable could hold another program's password. */
const WORKER_ENVIRONMENT: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'PROGRAMDATA',
  // Locations of libraries and GPU drivers on systems that don't use the standard folders, and the choice of drivers and GPUs.
  'LD_LIBRARY_PATH',
  'LIBVA_DRIVERS_PATH',
  'LIBVA_DRIVER_NAME',
  'CUDA_VISIBLE_DEVICES',
  'NVIDIA_VISIBLE_DEVICES',
  'NVIDIA_DRIVER_CAPABILITIES',
  // For test coverage.
  'NODE_V8_COVERAGE',
])

const workerEnvironment = ({ env = process.env }: ChildOptions): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => WORKER_ENVIRONMENT.has(name.toUpperCase())))

/** Starts an external program. It can't detect that its parent has died, so it is killed when this process exits. */
export function startProgram(program: string, options: ProgramOptions = {}): Program {
  const { input, asGroup = false, env = process.env } = options
  const family = asGroup ? createFamily() : undefined
  const child = spawn(program, options.args ?? [], {
    ...settingsOf(options),
    env: family === undefined ? env : { ...env, [FAMILY]: family.mark },
    // On Windows, this would only open a console.
    detached: asGroup && process.platform !== 'win32',
    stdio: [
      input === undefined ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      'ignore',
      options.inheritedData ? 'pipe' : 'ignore',
    ],
  })
  sendInheritedData(child, options)
  // A program may exit without reading all of its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const stdout = child.stdout ?? emptyStream()
  const followed = follow(child, options)
  const started = { stdout, ...followed, hasExited: () => hasExited(child) }
  if (family !== undefined) return { ...started, ...controlGroup(child, family) }
  endWithUs(child)
  return { ...started, terminate: () => void child.kill('SIGTERM') }
}

/** How long to read the output of a program that has exited, in ms, if another program keeps it open. */
const OUTPUT_MS = 500

/** Controls a program together with the programs that it has started. */
function controlGroup(child: ChildProcess, family: Family): Pick<Child, 'terminate' | 'kill'> {
  let isTerminated = false
  function signalAll(signal: 'SIGTERM' | 'SIGKILL'): void {
    isTerminated = true
    if (hasExited(child)) return
    // Find the family before its programs exit. Afterward, nothing shows what they have started.
    family.find(child.pid)
    signalGroup(child, signal)
    family.signal(signal)
  }
  endWithUs(child, () => signalAll('SIGKILL'))
  child.once('exit', () => {
    if (isTerminated) {
      // The group still exists now if any of its programs runs. Later, its ID may belong to another group.
      signalGroup(child, 'SIGKILL')
      family.signal('SIGKILL')
    }
    const timer = setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    }, OUTPUT_MS)
    child.once('close', () => clearTimeout(timer))
  })
  return { terminate: () => signalAll('SIGTERM'), kill: () => signalAll('SIGKILL') }
}

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    const taskkill = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
    spawnSync(taskkill, ['/pid', String(child.pid), '/T', '/F'], { windowsHide: true })
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // All programs of the group have exited.
  }
}

/**
 * Starts one of our scripts with Node, in its own process group, which signals from a terminal don't reach. Its stdin ends when the child
 * must shut down or is released, or when its parent has died. Signals aren't used, because processes can't handle them on every system.
 * @param entry absolute path of the script
 */
export function startNode(entry: string, options: NodeOptions = {}): NodeChild {
  const { execPath = process.execPath, nodeOptions = [], args = [] } = options
  const child = spawn(execPath, [...HARDENED, ...nodeOptions, entry, ...args], {
    ...settingsOf(options),
    env: environmentOf(options),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdin?.on('error', () => {})
  return {
    stdout: child.stdout ?? emptyStream(),
    ...follow(child, options),
    terminate: () => void child.stdin?.end(),
    release() {
      child.unref()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    },
  }
}

/**
 * Starts one of our scripts as a worker that communicates through messages. The worker's stdin ends when its parent has died. A worker that
 * sends anything other than messages is killed. Its stdout is discarded, because this process's stdout may carry a protocol.
 */
export function startWorker(entry: string, options: WorkerOptions = {}): WorkerChild {
  const { execPath = process.execPath, nodeOptions = [], wrapper = [] } = options
  const [program, ...args] = [...wrapper, execPath]
  const child = spawn(program, [...args, ...HARDENED, ...nodeOptions, entry, ...(options.args ?? [])], {
    ...settingsOf(options),
    env: workerEnvironment(options),
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', options.inheritedData ? 'pipe' : 'ignore'],
  })
  sendInheritedData(child, options)
  child.stdin?.on('error', () => {})
  const { ended, kill: killChild } = follow(child, options)
  const listeners: ((message: unknown) => void)[] = []
  let whyGivenUp: string | undefined
  const kill = (why?: string) => {
    whyGivenUp ??= why
    killChild()
  }
  const read = createFrameReader((message) => {
    if (whyGivenUp !== undefined) return
    for (const listener of listeners) listener(message)
  })
  const fromChild = child.stdio[FROM_WORKER]
  if (fromChild instanceof Readable) {
    fromChild.on('error', () => {})
    fromChild.on('data', (chunk: Uint8Array) => {
      try {
        if (whyGivenUp === undefined) read(chunk)
      } catch (error) {
        kill(messageOf(error))
      }
    })
  }
  return {
    ended: ended.then(({ startError, ...end }) => {
      const why = whyGivenUp ?? startError?.message
      return why === undefined ? end : { code: null, signal: null, stderrTail: why }
    }),
    kill,
    terminate: () => void child.stdin?.end(),
    send(message) {
      if (child.stdin?.writable === true) for (const part of frameOf(message)) child.stdin.write(part)
    },
    onMessage: (listener) => void listeners.push(listener),
  }
}

/** The descriptor that `connectToParent` writes to. */
const FROM_WORKER = 3

/** Describes how a child ended, for example "exit code 1". */
export function describeEnd({ code, signal, startError }: ChildEnd): string {
  if (startError !== undefined) return startError.message
  return signal === null ? `exit code ${code}` : `signal ${signal}`
}

/** Keeps the last part of a stream, to explain a failure. */
function collectTail(stream: NodeJS.ReadableStream | null): () => string {
  let tail = ''
  stream?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-REMEMBERED_STDERR)
  })
  return () => tail.trim()
}

/** The descriptor from which a child reads `inheritedData`. */
export const DATA_FD = 4

function sendInheritedData(child: ChildProcess, { inheritedData }: ChildOptions): void {
  const stream = child.stdio[DATA_FD]
  if (inheritedData === undefined || !(stream instanceof Writable)) return
  stream.on('error', () => {})
  stream.end(inheritedData)
}

const settingsOf = ({ env, cwd }: ChildOptions) => ({
  env: env ?? process.env,
  ...(cwd === undefined ? {} : { cwd }),
  windowsHide: true,
})

/** Returns a child's environment, without variables that could make it run other code or that contain secrets. */
export const environmentOf = ({ env = process.env }: Pick<ChildOptions, 'env'> = {}): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_INHERITED.includes(name.toUpperCase())))

function follow(child: ChildProcess, { onStderrLine }: ChildOptions): Pick<Child, 'ended' | 'kill'> {
  const stderrTail = collectTail(child.stderr)
  if (onStderrLine && child.stderr) createInterface({ input: child.stderr }).on('line', onStderrLine)
  const { promise: ended, resolve } = Promise.withResolvers<ChildEnd>()
  // 'close' fires only after stderr has been read to the end. A child that couldn't be started emits 'error' first.
  child.once('close', (code, signal) => resolve({ code, signal, stderrTail: stderrTail() }))
  child.on('error', (startError) => {
    if (child.pid === undefined) resolve({ code: null, signal: null, startError, stderrTail: '' })
  })
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}

const living = new Map<ChildProcess, () => void>()

function endWithUs(child: ChildProcess, kill: () => void = () => child.kill('SIGKILL')): void {
  if (child.pid === undefined) return
  if (living.size === 0) process.once('exit', endAll)
  living.set(child, kill)
  child.once('exit', () => {
    living.delete(child)
    if (living.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const kill of living.values()) kill()
}

/** Replaces a missing stream: if no file descriptors are free, Node creates a child without streams. */
const emptyStream = (): Readable => new PassThrough().end()

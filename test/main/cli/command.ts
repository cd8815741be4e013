/** Runs the command line in this process, in an environment that a test controls, or as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { openOwner, runCli, type Environment, type Owner } from '../../../src/main/cli/index.ts'
import { dataFolder } from '../../../src/main/cli/environment.ts'
import { takeOwnership, type OwnerLock } from '../../../src/main/database/index.ts'
import { serveCommands } from '../../../src/main/serve/index.ts'
import { connectOwner } from '../../../src/node/owner-link/connect-owner.ts'
import { readAddress } from '../../../src/node/owner-link/proof.ts'
import { isOwnerAlive } from '../../../src/node/owner-mark.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { COMMAND, SERVICE } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

export { temporaryFolder } from '../../temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '..', '..', '..')

export type Ran = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Stdout as JSON lines, without explanations of waits and foreseen losses: how many there are depends on machine load. */
  readonly events: readonly Record<string, unknown>[]
}

type Held = Partial<
  Pick<
    Environment,
    | 'env'
    | 'cwd'
    | 'readKey'
    | 'confirm'
    | 'interrupted'
    | 'builtInEntry'
    | 'timing'
    | 'powerSupplies'
    | 'stdin'
  >
> & {
  readonly columns?: number
  /** The owner of the data folder, for example the app. By default, one that ends with the last command. */
  readonly owner?: Owner
  /** Receives all text that the command writes to the terminal. */
  readonly onWrite?: (text: string, stream: 'stdout' | 'stderr') => void
}

/**
 * Runs the system's time ten times as fast by default, so that tests don't have to wait for polls. If it were much faster, a busy
 * machine would seem to a command like a service that doesn't respond for half a minute.
 */
export function fastTiming(faster = 10): Environment['timing'] {
  const began = Date.now()
  return {
    clock: () => began + (Date.now() - began) * faster,
    monotonic: () => performance.now() * faster,
    after(ms, run) {
      const timer = setTimeout(run, ms / faster)
      return () => clearTimeout(timer)
    },
    random: () => 0.5,
  }
}

export const realTiming: Environment['timing'] = { ...systemTiming, random: () => 0.5 }

type Shared = { readonly owner: Owner; readonly lock: OwnerLock; commands: number }
type Place = Omit<Parameters<typeof openOwner>[0], 'log' | 'hide'>
const ignore = () => undefined
const owners = new Map<string, Shared>()

/**
 * Commands that run at the same time in a data folder share its owner, which ends with the last one.
 * @returns undefined if another process owns the folder
 */
function joinOwner(place: Place): { readonly owner: Owner; leave(): Promise<void> } | undefined {
  const folder = dataFolder(place)
  const shared = owners.get(folder) ?? openShared(folder, place)
  if (shared === undefined) return undefined
  shared.commands++
  return {
    owner: shared.owner,
    async leave() {
      shared.commands--
      if (shared.commands > 0) return
      owners.delete(folder)
      await shared.owner.close()
      shared.lock.release()
    },
  }
}

function openShared(folder: string, place: Place): Shared | undefined {
  mkdirSync(folder, { recursive: true })
  const lock = takeOwnership(folder)
  if (lock === undefined) return undefined
  const shared = { lock, owner: openOwner({ ...place, log: ignore, hide: ignore }), commands: 0 }
  owners.set(folder, shared)
  return shared
}

function placeOf(held: Held) {
  const given = held.env ?? {}
  const dataDir = given['MEDIATRAY_DATA_DIR'] ?? temporaryFolder()
  return {
    env: { ...given, MEDIATRAY_DATA_DIR: dataDir },
    cwd: held.cwd ?? tmpdir(),
    home: held.cwd ?? dataDir,
    platform: 'linux',
    timing: held.timing ?? fastTiming(),
    node: process.execPath,
    builtInEntry: held.builtInEntry ?? '/nowhere/main.ts',
    powerSupplies: held.powerSupplies ?? '/nowhere',
  } as const
}

/**
 * Runs a command in this process, or in a separate one if another process owns the data folder. Removes its data afterward, unless the
 * test specifies a `dataDir`.
 */
export async function run(argv: readonly string[], held: Held = {}): Promise<Ran> {
  const written = { stdout: '', stderr: '' }
  const sinkOf = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text
      held.onWrite?.(text, name)
    },
    columns: held.columns,
  })
  const place = placeOf(held)
  const joined =
    held.owner === undefined ? joinOwner(place) : { owner: held.owner, leave: () => Promise.resolve() }
  if (joined === undefined) {
    const child = startCommand(argv, place)
    child.stdin.end()
    for (const name of ['stdout', 'stderr'] as const) {
      const sink = sinkOf(name)
      child[name].on('data', (text: string) => sink.write(text))
    }
    held.interrupted?.addEventListener('abort', () => child.kill('SIGTERM'))
    await once(child, 'close')
    return ranAs({ code: child.exitCode, ...written })
  }
  try {
    const code = await runCli({
      ...place,
      argv,
      owner: joined.owner,
      stdout: { ...sinkOf('stdout'), binary: null, closed: new AbortController().signal },
      stdin: held.stdin ?? null,
      stderr: sinkOf('stderr'),
      readKey: held.readKey ?? (() => Promise.resolve(undefined)),
      confirm: held.confirm ?? null,
      interrupted: held.interrupted ?? new AbortController().signal,
      noticesFile: join(ROOT, 'THIRD-PARTY-NOTICES.txt'),
    })
    return ranAs({ code, ...written })
  } finally {
    await joined.leave()
  }
}

const ranAs = <Ended extends { readonly stdout: string }>(ended: Ended) => ({
  ...ended,
  get events() {
    return jsonLines(ended.stdout).filter(({ event }) => event !== 'waiting' && event !== 'foreseen')
  },
})

/** Lets real commands use this process as the owner of a data folder, until the test has finished. Then closes the core. */
export async function serveInTest(dataDir: string, owner: Owner): Promise<void> {
  const lock = takeOwnership(dataDir)
  const place = {
    platform: process.platform,
    timing: realTiming,
    node: process.execPath,
    builtInEntry: SERVICE,
    noticesFile: join(ROOT, 'THIRD-PARTY-NOTICES.txt'),
    powerSupplies: '/nowhere',
  }
  const serving = await serveCommands(
    dataDir,
    process,
    (terminal) =>
      runCli({ ...place, ...terminal, env: { ...terminal.env, MEDIATRAY_DATA_DIR: dataDir }, owner }),
    { onChange: () => undefined },
  )
  onTestFinished(async () => {
    await serving.close()
    await owner.close()
    await owner.core.close()
    lock?.release()
  })
}

/** Runs a command with the built-in service in this process, in real time. Takes half as long as a separate process. */
export const runHere = (
  argv: readonly string[],
  options: ProcessOptions & Pick<Held, 'onWrite' | 'owner' | 'stdin'>,
): Promise<Ran> => run(argv, { ...options, builtInEntry: SERVICE, timing: realTiming })

/**
 * Keeps the owner of a data folder and its built-in service for the commands of `runHere` until the test has finished, as the host of real
 * commands does for ten seconds.
 */
export function keepOwner(options: ProcessOptions): void {
  const joined = joinOwner(placeOf({ ...options, builtInEntry: SERVICE, timing: realTiming }))
  onTestFinished(() => joined?.leave())
}

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line))

export type ProcessOptions = { readonly env: Record<string, string>; readonly cwd: string }

/**
 * What a separate process needs: the PATH, Node's cache of compiled code and the tests' pace from this one's environment. The host of a command ends with
 * its work.
 */
export const environmentForNode = (): Record<string, string> => ({
  ...Object.fromEntries(
    ['PATH', 'NODE_COMPILE_CACHE', 'MEDIATRAY_PACE'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ),
  MEDIATRAY_LINGER_MS: '0',
})

/** Starts the real command, whose output is bytes. Its environment is only `env`, `environmentForNode` and its folder as the home. */
export const spawnCommand = (argv: readonly string[], { env, cwd }: ProcessOptions) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...argv], {
    cwd,
    env: { ...environmentForNode(), HOME: cwd, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

/** A folder for commands, which keep their data in it. */
export function commandFolder(): { readonly folder: string; readonly held: ProcessOptions } {
  const folder = temporaryFolder()
  return { folder, held: { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder } }
}

/** Returns the process that owns a data folder; undefined if there is none. */
export async function ownerOf(dataDir: string): Promise<number | undefined> {
  const owner = await connectOwner(dataDir, { hear: () => undefined, closed: () => undefined })
  owner?.link.close()
  return owner?.pid
}

/** Kills the process that owns a data folder, and waits until it has ended. */
export async function killOwner(dataDir: string): Promise<void> {
  const kill = await ownerToKill(dataDir)
  await kill()
}

/** Returns the process of the data folder's built-in service; undefined if there is none. */
export function serviceOf(dataDir: string): number | undefined {
  const mark = readAddress(join(dataDir, 'service'))?.pid
  return mark !== undefined && isOwnerAlive(mark) ? Number.parseInt(mark, 10) : undefined
}

/** Kills the built-in service, which would otherwise wait for the next owner. */
export function killService(dataDir: string): void {
  const service = serviceOf(dataDir)
  if (service !== undefined) process.kill(service, 'SIGKILL')
}

/** Connects to the owner first, so that it can be killed at a certain moment. */
export async function ownerToKill(dataDir: string): Promise<() => Promise<void>> {
  const ended = Promise.withResolvers<void>()
  const owner = await connectOwner(dataDir, { hear: () => undefined, closed: ended.resolve })
  return async () => {
    if (owner === undefined) return
    process.kill(owner.pid, 'SIGKILL')
    await ended.promise
  }
}

/** Starts the real command like `spawnCommand`; its output is text. */
export function startCommand(argv: readonly string[], options: ProcessOptions) {
  const child = spawnCommand(argv, options)
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

/** Runs the real command in a separate process. */
export async function runProcess(
  argv: readonly string[],
  options: ProcessOptions & { readonly stdin?: string },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startCommand(argv, options)
  child.stdin.end(options.stdin ?? '')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

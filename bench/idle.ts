/**
 * Measures what the built app costs while it is idle and has no window: how often it wakes up, and its processor time. All three cases
 * run at the same time. The cost of waking up varies tenfold between hosts, and doubles within a minute on some, so the floor of the processor
 * time is what a wake-up of a Node process that looks at some files takes at the same time, × our wake-ups. Needs Linux's `/proc`.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY, startService } from '../test/conformance/running-service.ts'
import { launchApp } from '../test/stand-in/driver.ts'
import type { Settings } from '../src/shared/model/settings.ts'
import type { WatchFolder } from '../src/shared/model/watch-folder.ts'
import { sumOf } from '../src/shared/sum.ts'
import { atMost, atMostTimes, type BenchRow } from './row.ts'
import { ROOT } from './build.ts'
import { MAIN } from './start-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

const WATCHED_FILES = 10_000
/** By then, the app has scanned its folders, and unneeded workers have ended. */
const SETTLED_MS = 60_000
const MEASURED_MS = 120_000
const MINUTE_MS = 60_000
const MOST_TIMES = 3
/**
 * Threads of V8 and Node that compile code, collect garbage and wait for signals. V8's wake up in bursts of about 40, minutes apart, so only
 * their processor time counts.
 */
const HELPERS = /^(V8Worker|DelayedTask|SignalInspector)/

export async function benchIdle(): Promise<BenchRow[]> {
  await using photos = await temporaryFolder()
  for (let n = 0; n < WATCHED_FILES; n++) await writeFile(join(photos.path, `${n}.jpg`), 'x')
  await using service = await startService()
  const watched: WatchFolder = {
    id: 'watched',
    path: photos.path,
    enabled: true,
    recursive: true,
    presets: [],
    output: { kind: 'beside', subfolder: null },
    variations: 1,
    grouping: 'separate',
    windowMs: 0,
  }
  const external = { connection: 'external', baseUrl: service.baseUrl } as const
  // Idle apps leave each other enough processor time, so all are measured at once.
  const cases = await Promise.all([
    measure('nothing watched', 68, { connection: 'builtIn' }),
    measure('10,000 watched files', 90, { connection: 'builtIn', watchFolders: [watched] }),
    measure('another service', 32, external),
  ])
  return cases.flatMap(rowsOf)
}

type Case = Awaited<ReturnType<typeof measure>>

/** @param mostWakeUps per minute */
async function measure(what: string, mostWakeUps: number, settings: Partial<Settings>) {
  await using home = await temporaryFolder()
  const data = join(home.path, '.config/Mediatray')
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'settings.json'), JSON.stringify({ settings }))
  const env = { MEDIATRAY_API_KEY: API_KEY }
  await using app = await launchApp({
    mainBundle: MAIN,
    args: ['--hidden'],
    home: home.path,
    env,
    waitFor: 'nothing',
  })
  await app.until('the tray', ({ trays }) => trays[0] !== undefined)
  using bare = startBare(mostWakeUps)
  await sleep(SETTLED_MS)
  const [costs, floor] = await Promise.all([costsOf(app.pid), costsOf(bare.pid)])
  return { what, mostWakeUps, costs, floor }
}

function rowsOf({ what, mostWakeUps, costs, floor }: Case): readonly BenchRow[] {
  const { seconds, wakeUps, bytes, processes } = costs
  const name = `hidden and idle, ${what}`
  const memory = `${processes === 1 ? 'one process' : `${processes} processes`} with ${Math.round(bytes / 1e6)} MB`
  return [
    atMost(`${name}: wake-ups`, wakeUps, 'a minute', mostWakeUps, memory),
    atMostTimes(
      `${name}: processor time`,
      seconds,
      's an hour',
      { floor: (floor.seconds / floor.wakeUps) * wakeUps, most: MOST_TIMES },
      'the floor is a Node process that asks for ten files and reads one; its processor time for a wake-up × ours',
    ),
  ]
}

/** What our wake-ups do at the least: ask for some files, and read one. Code and data have left the caches of the processor by then. */
const LOOK = `
  const { readFileSync, statSync } = require('node:fs')
  const look = () => {
    for (const file of ['bin', 'dev', 'etc', 'home', 'lib', 'proc', 'run', 'sys', 'tmp', 'usr']) statSync('/' + file, { throwIfNoEntry: false })
    return JSON.parse(readFileSync('package.json', 'utf8'))
  }
`

/** Starts a Node process that wakes up about `wakeUps` times a minute. Its timer isn't exact, and it also wakes up for other reasons. */
const startBare = (wakeUps: number) =>
  spawn(process.execPath, ['-e', `${LOOK} setInterval(look, ${MINUTE_MS / wakeUps})`], { cwd: ROOT })

/**
 * Measures a process and its descendants. Returns processor time in seconds per hour, wake-ups per minute, and, at the end, memory in bytes
 * and the number of processes.
 */
async function costsOf(pid: number | undefined) {
  const before = costsUntilNow(pid)
  await sleep(MEASURED_MS)
  const { nanoseconds, wakeUps, bytes, processes } = costsUntilNow(pid)
  if (nanoseconds === before.nanoseconds) throw new Error("The kernel doesn't count processor time.")
  return {
    seconds: ((nanoseconds - before.nanoseconds) / 1e9) * ((60 * MINUTE_MS) / MEASURED_MS),
    wakeUps: (wakeUps - before.wakeUps) / (MEASURED_MS / MINUTE_MS),
    bytes,
    processes,
  }
}

type Costs = {
  readonly nanoseconds: number
  readonly wakeUps: number
  readonly bytes: number
  readonly processes: number
}

/** Returns what a process and its descendants have cost so far, without the browser that stands in for Electron's. */
function costsUntilNow(root: number | undefined): Costs {
  if (root === undefined) throw new Error("The app isn't running.")
  const processes = [root, ...descendantsOf(root)].filter((pid) => !isBrowser(pid))
  const threads = processes.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
  )
  return {
    nanoseconds: sum(
      threads.map((thread) => `${thread}/schedstat`),
      /^(\d+)/,
    ),
    wakeUps: sum(
      threads.filter((thread) => !HELPERS.test(nameOf(thread))).map((thread) => `${thread}/status`),
      /^voluntary_ctxt_switches:\s+(\d+)/m,
    ),
    bytes:
      1_024 *
      sum(
        processes.map((pid) => `/proc/${pid}/status`),
        // A process that has just exited has no memory.
        /^(?:State:\s+Z|VmRSS:\s+)(\d*)/m,
      ),
    processes: processes.length,
  }
}

/** Adds the numbers that a pattern finds in files. @throws Error if a file contains none */
const sum = (files: readonly string[], find: RegExp): number =>
  sumOf(files.map((file) => Number(find.exec(readFileSync(file, 'utf8'))?.[1] ?? missing(file))))

function missing(file: string): never {
  throw new Error(`${file} doesn't contain what is measured.`)
}

const descendantsOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...descendantsOf(Number(child))])

const nameOf = (thread: string): string => readFileSync(`${thread}/comm`, 'utf8')

const isBrowser = (pid: number): boolean => /chromium/i.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))

/** Measures what the built app costs while it is idle and its window is hidden. Needs Linux's `/proc`. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY, startService } from '../test/conformance/running-service.ts'
import { launchApp } from '../test/stand-in/driver.ts'
import type { Settings } from '../src/shared/model/settings.ts'
import type { WatchFolder } from '../src/shared/model/watch-folder.ts'
import { atMost, type BenchRow } from './row.ts'
import { MAIN } from './start-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

const WATCHED_FILES = 10_000
/** By then, the app has scanned its folders, and unneeded workers have ended. */
const SETTLED_MS = 60_000
const MEASURED_MS = 120_000
const HOUR_MS = 3_600_000
/** Maximum processor time per hour, in seconds. */
const MOST = 2

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
  return [
    await costOf('nothing watched', { connection: 'builtIn' }),
    await costOf('10,000 watched files', { connection: 'builtIn', watchFolders: [watched] }),
    await costOf('another service', external),
  ]
}

async function costOf(what: string, settings: Partial<Settings>): Promise<BenchRow> {
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
  await sleep(SETTLED_MS)
  const before = costsUntilNow(app.pid)
  await sleep(MEASURED_MS)
  const after = costsUntilNow(app.pid)
  const share = HOUR_MS / MEASURED_MS
  const wakeUps = (after.wakeUps - before.wakeUps) / (MEASURED_MS / 60_000)
  return atMost(
    `hidden and idle, ${what}`,
    ((after.nanoseconds - before.nanoseconds) / 1e9) * share,
    's of processor time an hour',
    MOST,
    `${Math.round(wakeUps)} wake-ups a minute; ${after.processes} processes with ${Math.round(after.bytes / 1e6)} MB`,
  )
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
      threads.map((thread) => `${thread}/status`),
      /^voluntary_ctxt_switches:\s+(\d+)/m,
    ),
    bytes:
      1_024 *
      sum(
        processes.map((pid) => `/proc/${pid}/status`),
        /^VmRSS:\s+(\d+)/m,
      ),
    processes: processes.length,
  }
}

/** Adds the numbers that a pattern finds in files. */
const sum = (files: readonly string[], find: RegExp): number =>
  files.reduce((total, file) => total + Number(find.exec(readFileSync(file, 'utf8'))?.[1] ?? 0), 0)

const descendantsOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...descendantsOf(Number(child))])

const isBrowser = (pid: number): boolean => /chromium/i.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))

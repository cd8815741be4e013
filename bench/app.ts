/**
 * Measures the built app on the stand-in: the size of its page, the time until its tray and its window appear, and the cost of many
 * files and of a long history. Run `npm run build` first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchApp } from '../test/stand-in/driver.ts'
import { ROOT } from './build.ts'
import { firstPaint } from './first-paint.ts'
import { firstThumbnails } from './first-thumbnails.ts'
import { fillHistory } from './history-sample.ts'
import { longList } from './long-list.ts'
import { median, timed } from './measure.ts'
import { atMost, atMostTimes, type BenchRow } from './row.ts'
import { MAIN, startOffline } from './start-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

const BARE = join(import.meta.dirname, 'bare-tray.mjs')
const ICON = join(ROOT, 'assets/icons/tray/idle-black-24.png')
const STARTS = 7
const FILES = 1_000
const JOBS = 10_000

export async function benchApp(): Promise<BenchRow[]> {
  return [
    await untilTray(),
    ...(await firstPaint()),
    await drop(),
    ...(await firstThumbnails()),
    ...(await longList()),
    await longHistory(),
  ]
}

// ── Startup ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Alternates our app with a minimal one, so that a busy moment of the machine affects both. */
async function untilTray(): Promise<BenchRow> {
  const own: number[] = []
  const bare: number[] = []
  await using home = await temporaryFolder()
  // The first start creates the databases.
  await timeToTray(MAIN, ['--hidden'], home.path)
  for (let start = 0; start < STARTS; start++) {
    bare.push(await timeToTray(BARE, [ICON], home.path))
    own.push(await timeToTray(MAIN, ['--hidden'], home.path))
  }
  return atMostTimes(
    'main bundle to tray ready',
    median(own),
    'ms',
    { floor: median(bare), most: 2.7 },
    `medians of ${STARTS} alternating starts after the first; the floor is a minimal app with a tray`,
  )
}

async function timeToTray(mainBundle: string, args: readonly string[], home: string): Promise<number> {
  const before = performance.now()
  // Unlike Electron for its main process, Node would cache the compiled code.
  const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
  await using app = await launchApp({ mainBundle, args, env, home, waitFor: 'nothing' })
  await app.until('the tray', ({ trays }) => trays[0]?.toolTip !== undefined && trays[0].toolTip !== '')
  return performance.now() - before
}

// ── Many files ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function drop(): Promise<BenchRow> {
  await using folder = await temporaryFolder()
  const paths = Array.from({ length: FILES }, (_, index) => join(folder.path, `photo-${index}.jpg`))
  for (const path of paths) writeFileSync(path, 'x')
  await using app = await startOffline()
  const page = await app.page()
  await page.locator('.job-pane').waitFor()
  const listed = page.getByRole('heading', { name: /1,000 files/ }).waitFor()
  const measured = await timed(async () => {
    await app.dropFiles('.job-pane', paths)
    await listed
  })
  const note = 'the stand-in asks Chromium for each path; Electron has them at once'
  return atMost('drop of 1,000 files until they are listed', measured, 'ms', 1_500, note)
}

async function longHistory(): Promise<BenchRow> {
  const empty = await memoryWith(0)
  const full = await memoryWith(JOBS)
  return atMost(
    'memory growth of the main process with a history of 10,000 jobs',
    full - empty,
    'MiB',
    16,
    `${full.toFixed(1)} MiB in total; resident, on Node`,
  )
}

/** Returns the resident memory in MiB, one second after the window has opened. */
async function memoryWith(jobs: number): Promise<number> {
  await using app = await startOffline((data) => {
    if (jobs > 0) fillHistory(join(data, 'history.db'), jobs)
  })
  await (await app.page()).locator('.job-pane').waitFor()
  await sleep(1_000)
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024
}

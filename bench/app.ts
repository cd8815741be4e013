/**
 * The app as it is built, on the stand-in: how large its page is, how soon its tray and its window are there, and what many
 * files and a long history cost it. Needs `npm run build` before.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { type App, launchApp } from '../test/stand-in/driver.ts'
import { fillHistory } from './history-sample.ts'
import type { BenchRow } from './row.ts'

const ROOT = join(import.meta.dirname, '..')
const MAIN = join(ROOT, 'dist/main/index.js')
const BARE = join(import.meta.dirname, 'bare-tray.mjs')
const ICON = join(ROOT, 'assets/icons/tray/idle-black-24.png')
const STARTS = 5
const FILES = 1_000
const PHOTOS = 24
/** A short drag: from the edge of the window to its middle. */
const OVER_THE_WINDOW_MS = 400
const JOBS = 10_000
const SCREENS = 200

export async function benchApp(): Promise<BenchRow[]> {
  return [
    await untilTray(),
    ...(await window()),
    await drop(),
    ...(await thumbnails()),
    ...(await longHistory()),
  ]
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────

const RENDERER = join(ROOT, 'dist/renderer')
const isCode = (file: string) => file.endsWith('.js') || file.endsWith('.css')

/** In kB. */
const packed = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(RENDERER, file)), { level: 9 }).length, 0) /
  1000

/** @param loaded what the window asked for until it was painted */
function pageSize(loaded: readonly string[]): BenchRow {
  const all = packed(readdirSync(RENDERER, { recursive: true }).map(String).filter(isCode))
  const size = packed(loaded.filter(isCode))
  return {
    name: 'window, JavaScript and CSS until its first paint, gzip',
    measured: size,
    unit: 'kB',
    budget: '≤ 60',
    met: size <= 60,
    note: `${all.toFixed(1)} kB with both languages and what is loaded when it is wanted`,
  }
}

// ── The start ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** By turns with an app that does nothing else, so that both have the same of the machine. */
async function untilTray(): Promise<BenchRow> {
  const own: number[] = []
  const bare: number[] = []
  for (let start = 0; start < STARTS; start++) {
    bare.push(await timeToTray(BARE, [ICON]))
    own.push(await timeToTray(MAIN, ['--hidden']))
  }
  const measured = Math.min(...own) - Math.min(...bare)
  return {
    name: 'main bundle to tray ready, our own code',
    measured,
    unit: 'ms',
    budget: '≤ 130',
    met: measured <= 130,
    note: `${Math.min(...own).toFixed(0)} ms, less ${Math.min(...bare).toFixed(0)} ms of a bare app with a tray; best of ${STARTS} each; reading and running the code is two thirds of it, opening what is kept most of the rest`,
  }
}

async function timeToTray(mainBundle: string, args: readonly string[]): Promise<number> {
  const before = performance.now()
  // Electron keeps no compiled code of the main process, as Node does for our scripts.
  const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
  await using app = await launchApp({ mainBundle, args, env, waitFor: 'nothing' })
  await app.until('the tray', ({ trays }) => trays[0]?.toolTip !== undefined && trays[0].toolTip !== '')
  return performance.now() - before
}

async function window(): Promise<readonly BenchRow[]> {
  const times: number[] = []
  let loaded: readonly string[] = []
  for (let start = 0; start < STARTS; start++) {
    await using app = await startOffline()
    const page = await app.page()
    await page.locator('.job-pane').waitFor()
    const paint: Paint = await page.evaluate(FIRST_PAINT)
    times.push(paint.at)
    loaded = paint.loaded.map((address) => new URL(address).pathname.slice(1))
  }
  const measured = Math.min(...times)
  return [
    pageSize(loaded),
    {
      name: 'first paint of the window',
      measured,
      unit: 'ms',
      budget: '≤ 150',
      met: measured <= 150,
      note: `navigation to first contentful paint, best of ${STARTS}; each file comes through the debugging protocol, and a page with one word takes 44 to 68 ms`,
    },
  ]
}

type Paint = {
  /** ms since the navigation. */
  readonly at: number
  readonly loaded: readonly string[]
}

// Text, because it is checked for Node here and runs in the page.
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0]
    if (paint === undefined) return
    const before = performance.getEntriesByType('resource').filter((entry) => entry.startTime < paint.startTime)
    resolve({ at: paint.startTime, loaded: before.map((entry) => entry.name) })
  }).observe({ type: 'paint', buffered: true }))`

// ── Much of it ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function drop(): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-drop-'))
  const paths = Array.from({ length: FILES }, (_, index) => join(folder, `photo-${index}.jpg`))
  for (const path of paths) writeFileSync(path, 'x')
  try {
    await using app = await startOffline()
    const page = await app.page()
    await page.locator('.job-pane').waitFor()
    const listed = page.getByRole('heading', { name: /1,000 files/ }).waitFor()
    const before = performance.now()
    await app.dropFiles('.job-pane', paths)
    await listed
    const measured = performance.now() - before
    return {
      name: 'drop of 1 000 files until they are listed',
      measured,
      unit: 'ms',
      budget: '≤ 1500',
      met: measured <= 1_500,
      note: 'the stand-in asks Chromium for each path; Electron has them at once',
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * From the drop of photos of 12 megapixels until the first of their pictures is there, and until all in view are. Nobody lets go
 * in the moment in which the pointer enters the window.
 */
async function thumbnails(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-photos-'))
  try {
    const paths = await makePhotos(folder)
    await using app = await startOffline()
    const page = await app.page()
    await page.locator('.job-pane').waitFor()
    const seen = page.evaluate<Seen>(UNTIL_SEEN)
    const drop = await app.dragFiles('.job-pane', paths)
    await sleep(OVER_THE_WINDOW_MS)
    const before = performance.now()
    await drop()
    const { first, all, count } = await seen
    const since = (at: number) => at - before
    return [
      {
        name: 'thumbnails of dropped photos, the first',
        measured: since(first),
        unit: 'ms',
        budget: '≤ 150',
        met: since(first) <= 150,
        note: `from the drop, ${OVER_THE_WINDOW_MS} ms after the drag entered the window; the rows are there after half of it, and decoding one takes 55 ms or more`,
      },
      {
        name: 'thumbnails of dropped photos, all in view',
        measured: since(all),
        unit: 'ms',
        budget: '≤ 600',
        met: since(all) <= 600,
        note: `${count} in view of ${PHOTOS} of 12 megapixels; two at a time, and decoding one keeps a core busy for 55 ms or more`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makePhotos(folder: string): Promise<readonly string[]> {
  const paths = Array.from({ length: PHOTOS }, (_, index) => join(folder, `photo-${index}.jpg`))
  const [first = '', ...others] = paths
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const
  await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: 'grey', noise } })
    .jpeg({ quality: 90 })
    .toFile(first)
  for (const path of others) copyFileSync(first, path)
  return paths
}

/** ms since the same moment as the bench's own clock. */
type Seen = { readonly first: number; readonly all: number; readonly count: number }

// A picture counts from the frame in which it is shown. What is in view is known when the rows are there.
const UNTIL_SEEN = `new Promise((resolve) => {
  const skew = Date.now() - performance.now() - ${Date.now()} + ${performance.now()}
  let first
  const look = () => {
    const pictures = [...document.querySelectorAll('.job-pane .thumb img')].filter((picture) => {
      const { top, bottom } = picture.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })
    const shown = pictures.filter((picture) => 'loaded' in picture.dataset)
    if (shown.length > 0) first ??= performance.now() + skew
    if (shown.length > 0 && shown.length === pictures.length)
      return resolve({ first, all: performance.now() + skew, count: shown.length })
    requestAnimationFrame(look)
  }
  look()
})`

async function longHistory(): Promise<readonly BenchRow[]> {
  const empty = await memoryWith(0)
  const full = await memoryWith(JOBS)
  const grown = full - empty
  await using app = await startOffline((data) => fillHistory(join(data, 'history.db'), JOBS))
  const page = await app.page()
  await page.locator('.jobs .row').first().waitFor()
  const { rows, screens, work, longest, long } = await scrollThrough(page)
  const each = work / screens
  return [
    {
      name: 'history of 10 000 jobs, most rows at once while scrolling',
      measured: rows,
      unit: 'rows',
      budget: '≤ 60',
      met: rows <= 60,
    },
    {
      name: 'history of 10 000 jobs, longest task while scrolling',
      measured: longest,
      unit: 'ms',
      budget: '≤ 50',
      met: longest <= 50,
      note: `${long} tasks of more than 50 ms in ${screens} screens; drawn without a graphics chip, and collecting memory takes 12 to 30 ms of those that are longer`,
    },
    {
      name: 'history of 10 000 jobs, work of the window for a new screen of rows',
      measured: each,
      unit: 'ms CPU',
      budget: '≤ 16',
      met: each <= 16,
      note: `mean of ${screens} screens, one a frame; a quarter is the list’s own script, the rest Chromium’s layout and drawing without a graphics chip`,
    },
    {
      name: 'memory of the main process, 10 000 jobs in the history',
      measured: full,
      unit: 'MiB',
      budget: '≤ 16 more than with none',
      met: grown <= 16,
      note: `${grown.toFixed(1)} MiB more than with none; resident, on Node`,
    },
  ]
}

const SCROLL = `(async () => {
  const list = document.querySelector('.scroll.jobs')
  let most = 0
  const long = []
  const observer = new PerformanceObserver((seen) => long.push(...seen.getEntries().map((task) => task.duration)))
  observer.observe({ type: 'longtask' })
  for (let screen = 0; screen < ${SCREENS}; screen++) {
    list.scrollTop += list.clientHeight
    await new Promise((resolve) => requestAnimationFrame(resolve))
    most = Math.max(most, document.querySelectorAll('.jobs .row, .jobs .row-blank').length)
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  observer.disconnect()
  return { rows: most, longest: Math.max(0, ...long), long: long.length }
})()`

type Scrolled = { readonly rows: number; readonly longest: number; readonly long: number }

/** A screen a frame, as a held Page Down key would go. CPU time, because a busy machine says nothing about the list. */
async function scrollThrough(
  page: Page,
): Promise<Scrolled & { readonly screens: number; readonly work: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  const before = await spent()
  const scrolled: Scrolled = await page.evaluate(SCROLL)
  return { ...scrolled, screens: SCREENS, work: (await spent()) - before }
}

/** Resident, in MiB, when the window is there and a moment has passed. */
async function memoryWith(jobs: number): Promise<number> {
  await using app = await startOffline((data) => {
    if (jobs > 0) fillHistory(join(data, 'history.db'), jobs)
  })
  await (await app.page()).locator('.job-pane').waitFor()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** An app whose service never answers: what is measured is the app alone. */
async function startOffline(prepare: (data: string) => void = () => undefined): Promise<App> {
  const home = mkdtempSync(join(tmpdir(), 'mediatray-bench-home-'))
  const data = join(home, '.config/Mediatray')
  mkdirSync(data, { recursive: true })
  const settings = { connection: 'external', baseUrl: 'http://127.0.0.1:9/api' }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
  prepare(data)
  const app = await launchApp({ mainBundle: MAIN, home, timeout: 60_000 })
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

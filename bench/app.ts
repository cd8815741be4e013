/**
 * Measures the built app on the stand-in: the size of its page, the time until its tray and its window appear, and the cost of many
 * files and of a long history. Run `npm run build` first.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { type App, launchApp } from '../test/stand-in/driver.ts'
import { ROOT } from './build.ts'
import { fillHistory } from './history-sample.ts'
import { timed } from './measure.ts'
import { atMost, type BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MAIN = join(ROOT, 'dist/main/index.js')
const BARE = join(import.meta.dirname, 'bare-tray.mjs')
const ICON = join(ROOT, 'assets/icons/tray/idle-black-24.png')
const STARTS = 5
const FILES = 1_000
const PHOTOS = 24
/** The duration of a short drag, from the edge of the window to its center. */
const DRAG_MS = 400
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

/** Returns the gzipped size in kB. */
const gzipSize = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(RENDERER, file)), { level: 9 }).length, 0) /
  1000

/** @param loaded files that the window requested before its first paint */
function pageSize(loaded: readonly string[]): BenchRow {
  const all = gzipSize(readdirSync(RENDERER, { recursive: true }).map(String).filter(isCode))
  const size = gzipSize(loaded.filter(isCode))
  const note = `${all.toFixed(1)} kB with both languages and everything that is loaded on demand`
  return atMost('window, JavaScript and CSS until its first paint, gzip', size, 'kB', 60, note)
}

// ── Startup ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Alternates with a minimal app, so that a busy moment of the machine affects both. */
async function untilTray(): Promise<BenchRow> {
  const own: number[] = []
  const bare: number[] = []
  for (let start = 0; start < STARTS; start++) {
    bare.push(await timeToTray(BARE, [ICON]))
    own.push(await timeToTray(MAIN, ['--hidden']))
  }
  return atMost(
    'main bundle to tray ready, our own code',
    Math.min(...own) - Math.min(...bare),
    'ms',
    130,
    `${Math.min(...own).toFixed(0)} ms, minus ${Math.min(...bare).toFixed(0)} ms of a minimal app with a tray; best of ${STARTS} each; two thirds are loading and compiling, most of the rest is opening the databases`,
  )
}

async function timeToTray(mainBundle: string, args: readonly string[]): Promise<number> {
  const before = performance.now()
  // Node would cache the compiled code, which Electron doesn't do for the main process.
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
  const note = `navigation to first contentful paint, best of ${STARTS}; the debugging protocol delivers each file, and a page with one word takes 44 to 68 ms`
  return [pageSize(loaded), atMost('first paint of the window', Math.min(...times), 'ms', 150, note)]
}

type Paint = {
  /** In ms since the navigation. */
  readonly at: number
  readonly loaded: readonly string[]
}

// A string, because it runs in the page while this file is type-checked for Node.
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0]
    if (paint === undefined) return
    const before = performance.getEntriesByType('resource').filter((entry) => entry.startTime < paint.startTime)
    resolve({ at: paint.startTime, loaded: before.map((entry) => entry.name) })
  }).observe({ type: 'paint', buffered: true }))`

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

/**
 * Measures the time from the drop of 12-megapixel photos until the first thumbnail is shown, and until all in view are. The drop
 * happens some time after the pointer has entered the window, as with a real drag.
 */
async function thumbnails(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  const paths = await makePhotos(join(folder.path, 'photos'), PHOTOS)
  await using app = await startOffline()
  const page = await app.page()
  await page.locator('.job-pane').waitFor()
  const seen = page.evaluate<Seen>(UNTIL_SEEN)
  const drop = await app.dragFiles('.job-pane', paths)
  await sleep(DRAG_MS)
  const before = performance.now()
  await drop()
  const { first, all, count } = await seen
  return [
    atMost(
      'thumbnails of dropped photos: the first',
      first - before,
      'ms',
      150,
      `from the drop, ${DRAG_MS} ms after the drag entered the window; the rows appear after half of it, and decoding one photo takes at least 55 ms`,
    ),
    atMost(
      'thumbnails of dropped photos: all in view',
      all - before,
      'ms',
      600,
      `${count} in view of ${PHOTOS} photos of 12 megapixels; two at a time, and decoding one photo takes at least 55 ms`,
    ),
  ]
}

/** In ms on the benchmark's own clock. */
type Seen = { readonly first: number; readonly all: number; readonly count: number }

// A thumbnail counts as shown from the frame that paints it. Which ones are in view isn't known until the rows exist.
const UNTIL_SEEN = `new Promise((resolve) => {
  const skew = Date.now() - performance.now() - ${Date.now()} + ${performance.now()}
  let first
  const check = () => {
    const images = [...document.querySelectorAll('.job-pane .thumbnail img')].filter((image) => {
      const { top, bottom } = image.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })
    const shown = images.filter((image) => 'loaded' in image.dataset)
    if (shown.length > 0) first ??= performance.now() + skew
    if (shown.length > 0 && shown.length === images.length)
      return resolve({ first, all: performance.now() + skew, count: shown.length })
    requestAnimationFrame(check)
  }
  check()
})`

async function longHistory(): Promise<readonly BenchRow[]> {
  const empty = await memoryWith(0)
  const full = await memoryWith(JOBS)
  await using app = await startOffline((data) => fillHistory(join(data, 'history.db'), JOBS))
  const page = await app.page()
  await page.locator('.job-list .job-row').first().waitFor()
  const { rows, work, longest, long } = await scrollThrough(page)
  return [
    atMost('history of 10,000 jobs, row nodes while scrolling', rows, 'rows', 60),
    atMost(
      'history of 10,000 jobs, longest task while scrolling',
      longest,
      'ms',
      50,
      `${long} tasks over 50 ms in ${SCREENS} screens; rendered without a GPU, and garbage collection takes 12 to 30 ms of the long tasks`,
    ),
    atMost(
      'history of 10,000 jobs, CPU time of the window per screen of rows',
      work / SCREENS,
      'ms CPU',
      16,
      `mean of ${SCREENS} screens, one per frame; a quarter is the list’s script, the rest Chromium’s layout and rendering without a GPU`,
    ),
    atMost(
      'memory growth of the main process with a history of 10,000 jobs',
      full - empty,
      'MiB',
      16,
      `${full.toFixed(1)} MiB in total; resident, on Node`,
    ),
  ]
}

const SCROLL = `(async () => {
  const list = document.querySelector('.scroll-area.job-list')
  let rows = 0
  const long = []
  const observer = new PerformanceObserver((seen) => long.push(...seen.getEntries().map((task) => task.duration)))
  observer.observe({ type: 'longtask' })
  for (let screen = 0; screen < ${SCREENS}; screen++) {
    list.scrollTop += list.clientHeight
    await new Promise((resolve) => requestAnimationFrame(resolve))
    rows = Math.max(rows, document.querySelectorAll('.job-list .job-row, .job-list .job-row-placeholder').length)
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  observer.disconnect()
  return { rows, longest: Math.max(0, ...long), long: long.length }
})()`

type Scrolled = { readonly rows: number; readonly longest: number; readonly long: number }

/** Scrolls one screen per frame, like a held Page Down key. Measures CPU time, which doesn't depend on other processes. */
async function scrollThrough(page: Page): Promise<Scrolled & { readonly work: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  const before = await spent()
  const scrolled: Scrolled = await page.evaluate(SCROLL)
  return { ...scrolled, work: (await spent()) - before }
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

/** Starts an app whose service never responds, to measure the app alone. */
async function startOffline(prepare: (data: string) => void = () => undefined): Promise<App> {
  const folder = await temporaryFolder()
  const home = folder.path
  const data = join(home, '.config/Mediatray')
  mkdirSync(data, { recursive: true })
  const settings = { connection: 'external', baseUrl: 'http://127.0.0.1:9/api' }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
  prepare(data)
  const app = await launchApp({ mainBundle: MAIN, home })
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

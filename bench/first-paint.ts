/**
 * Measures the time until the window's first paint, compared with a page of one word, and the size of the files that it loads until then.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { built } from './build.ts'
import { median } from './measure.ts'
import { atMost, atMostTimes, type BenchRow } from './row.ts'
import { startBareWindow, startOffline } from './start-app.ts'

const STARTS = 7
const RENDERER = built('renderer')
const ONE_WORD = '<!doctype html><title>Bare</title><p>Mediatray</p>'

export async function firstPaint(): Promise<readonly BenchRow[]> {
  const own: number[] = []
  const bare: number[] = []
  let loaded: readonly string[] = []
  for (let start = 0; start < STARTS; start++) {
    bare.push(await timeToWord())
    const paint = await timeToWindow()
    own.push(paint.at)
    loaded = paint.loaded.map((address) => new URL(address).pathname.slice(1))
  }
  return [
    pageSize(loaded),
    atMostTimes(
      'first paint of the window',
      median(own),
      'ms',
      { floor: median(bare), most: 3 },
      `navigation to first contentful paint, medians of ${STARTS} alternating starts; the floor is a page with one word; the debugging protocol delivers each file`,
    ),
  ]
}

async function timeToWord(): Promise<number> {
  await using app = await startBareWindow(ONE_WORD)
  const page = await app.page()
  return (await page.evaluate<Paint>(FIRST_PAINT)).at
}

async function timeToWindow(): Promise<Paint> {
  await using app = await startOffline()
  const page = await app.page()
  await page.locator('.job-pane').waitFor()
  return await page.evaluate<Paint>(FIRST_PAINT)
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

const isCode = (file: string) => file.endsWith('.js') || file.endsWith('.css')

/** Returns the gzipped size in kB. */
const gzipSize = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(RENDERER, file)), { level: 9 }).length, 0) /
  1000

/** @param loaded files that the window requested before its first paint */
function pageSize(loaded: readonly string[]): BenchRow {
  const all = gzipSize(readdirSync(RENDERER, { recursive: true }).map(String).filter(isCode))
  const size = gzipSize(loaded.filter(isCode))
  const note = `${all.toFixed(1)} kB with all languages and everything that is loaded on demand`
  return atMost('window, JavaScript and CSS until its first paint, gzip', size, 'kB', 60, note)
}

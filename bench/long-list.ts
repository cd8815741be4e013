/**
 * Measures scrolling through a long history, one screen per frame, like a held Page Down key. The floor is a static page with such a list.
 * Measures CPU time, because it doesn't depend on other processes.
 */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { bareList } from './bare-list.ts'
import { fillHistory } from './history-sample.ts'
import { atMost, atMostTimes, type BenchRow } from './row.ts'
import { startBareWindow, startOffline } from './start-app.ts'

const JOBS = 10_000
const ROUNDS = 5
const SCREENS_PER_ROUND = 40
const SCREENS = ROUNDS * SCREENS_PER_ROUND

export async function longList(): Promise<readonly BenchRow[]> {
  await using app = await startOffline((data) => fillHistory(join(data, 'history.db'), JOBS))
  const page = await app.page()
  await page.locator('.job-list .job-row').first().waitFor()
  const size = await page.evaluate<{ width: number; height: number }>(SIZE)
  await using bareApp = await startBareWindow(bareList(SCREENS + 1, size))
  const own = await scroller(page)
  const bare = await scroller(await bareApp.page())
  for (let round = 0; round < ROUNDS; round++) {
    await bare.round()
    await own.round()
  }
  const [floor, ours] = [bare.result(), own.result()]
  return [
    atMost('history of 10,000 jobs, row nodes while scrolling', ours.rows, 'rows', 60),
    atMostTimes(
      'history of 10,000 jobs, longest task while scrolling',
      ours.longest,
      'ms CPU',
      { floor: floor.longest, most: 4 },
      `${SCREENS} screens, alternating with a static page of such rows; rendered without a GPU`,
    ),
    atMostTimes(
      'history of 10,000 jobs, CPU time of the window per screen of rows',
      ours.work / SCREENS,
      'ms CPU',
      { floor: floor.work / SCREENS, most: 1.5 },
      `mean of ${SCREENS} screens, one per frame, alternating with a static page of such rows; rendered without a GPU`,
    ),
  ]
}

const LIST = `document.querySelector('.scroll-area.job-list')`
const SIZE = `({ width: ${LIST}.offsetWidth, height: ${LIST}.clientHeight })`

const SCROLL = `(async () => {
  const list = ${LIST}
  let rows = 0
  for (let screen = 0; screen < ${SCREENS_PER_ROUND}; screen++) {
    list.scrollTop += list.clientHeight
    await new Promise((resolve) => requestAnimationFrame(resolve))
    rows = Math.max(rows, document.querySelectorAll('.job-list .job-row, .job-list .job-row-placeholder').length)
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  return rows
})()`

/** Scrolls in rounds, so that two windows can take turns. */
async function scroller(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const total = { rows: 0, work: 0, longest: 0 }
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  return {
    async round(): Promise<void> {
      const longest = await followTasks(page)
      const before = await spent()
      total.rows = Math.max(total.rows, await page.evaluate<number>(SCROLL))
      total.work += (await spent()) - before
      total.longest = Math.max(total.longest, await longest())
    },
    result: () => total,
  }
}

/** The fields of Chromium's trace events that are used here. Times are in µs. */
type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** @returns a function that returns the CPU time of the longest task of a page's main thread since then, in ms */
async function followTasks(page: Page): Promise<() => Promise<number>> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser')
  const session = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] },
  })
  return async () => {
    const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
    await session.send('Tracing.end')
    await complete
    await session.detach()
    const threads = new Set(
      events.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
    )
    const tasks = events.filter(
      ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.has(`${pid} ${tid}`),
    )
    return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000))
  }
}

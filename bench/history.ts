/** Histories of 10 000 and of 100 000 jobs, a busy year, as the app would have recorded them; one of a million when it is asked for. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory, type History } from '../src/main/history/index.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { fillHistory } from './history-sample.ts'
import type { BenchRow } from './row.ts'

const PAGE = { offset: 0, limit: 50 } as const

/** Rare and common words, beginnings and middles of words, one letter, several words, signs without spaces, and none. */
const SEARCHES = [
  'IMG_0093', '93', 'harbour', 'web', 'w', 'a', 'pictures', 'ictur', 'jpg', '0', '1', 'img jpg web', 'home me pictures',
  'hafenfoto', 'foto', 'grösse', '夜景', '景', 'memory', 'out of memory', 'harbour 2048', 'dsc 4821', 'xyzzy', 'e',
  'sunset beach jpg', 'me', 'no such thing', '2025', 'wedding 12', 'café',
] as const // prettier-ignore

const open = (file: string): History => openHistory({ file, clock: Date.now, log: () => undefined })

export const benchHistory = (): Promise<readonly BenchRow[]> =>
  Promise.resolve([...rowsOf(10_000), ...rowsOf(100_000)])

/** To make it takes minutes. */
export const benchLongHistory = (): Promise<readonly BenchRow[]> => Promise.resolve(rowsOf(1_000_000))

function rowsOf(jobs: number): readonly BenchRow[] {
  const name = `history of ${jobs.toLocaleString('fr')} jobs`
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-'))
  const file = join(folder, 'history.db')
  try {
    fillHistory(file, jobs)
    const opening = best(5, () => {
      const history = open(file)
      history.page({}, PAGE)
      history.close()
    })
    const history = open(file)
    const searches = timesOf(history)
    const filtered = best(5, () =>
      history.page({ text: 'web', outcomes: ['problems', 'failed'], kind: 'photos' }, PAGE),
    )
    const deep = best(5, () => history.page({}, { offset: jobs / 2, limit: 50 }))
    const details = best(5, () => history.details(asRecordId('r5000')))
    history.close()
    const p95 = searches[Math.floor(searches.length * 0.95)] ?? 0
    return [
      row(`${name}: open and first page`, opening, 50),
      {
        ...row(`${name}: search, p95`, p95, 20),
        note: `${searches.length} searches, slowest ${searches.at(-1)?.toFixed(1)} ms; the total that is shown is exact, so each job with a common word is counted`,
      },
      row(`${name}: search with filters`, filtered, 20),
      row(`${name}: page in the middle`, deep, 20),
      row(`${name}: details`, details, 20),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each search three times, with its total and its first page; ms, the shortest first. */
const timesOf = (history: History): readonly number[] =>
  [...SEARCHES, ...SEARCHES, ...SEARCHES]
    .map((text) => timed(() => history.page({ text }, PAGE)))
    .toSorted((a, b) => a - b)

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

const best = (times: number, work: () => unknown): number =>
  Math.min(...Array.from({ length: times }, () => timed(work)))

const row = (name: string, measured: number, budget: number): BenchRow => ({
  name,
  measured,
  unit: 'ms',
  budget: `≤ ${budget} ms`,
  met: measured <= budget,
})

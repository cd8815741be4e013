/** Histories of 10,000 and 100,000 jobs (a busy year) as the app would have recorded them, and of a million on request. */
import { join } from 'node:path'
import { openHistory, type History } from '../src/main/history/index.ts'
import { MOST_COUNTED } from '../src/shared/model/history-page.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { fillHistory, keyOfRecord } from './history-sample.ts'
import { cpuTime, p95, timed } from './measure.ts'
import { atMost, type BenchRow } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { watchTicks } from './ticks.ts'

/** As much as the window asks for. */
const PAGE = { limit: 100 } as const
const ROUNDS = 5
const BEST = `best of ${ROUNDS}`

/** Rare and common words, prefixes, infixes, single letters, several words, scripts without spaces, and searches without matches. */
const SEARCHES = [
  'IMG_0093', '93', 'harbour', 'web', 'w', 'a', 'pictures', 'ictur', 'jpg', '0', '1', 'img jpg web', 'home me pictures',
  'hafenfoto', 'foto', 'grösse', '夜景', '景', 'memory', 'out of memory', 'harbour 2048', 'dsc 4821', 'xyzzy', 'e',
  'sunset beach jpg', 'me', 'no such thing', '2025', 'wedding 12', 'café',
] as const // prettier-ignore

const open = (file: string): History => openHistory({ file, clock: Date.now, log: () => undefined })

export const benchHistory = async (): Promise<readonly BenchRow[]> => [
  ...(await rowsOf(10_000)),
  ...(await rowsOf(100_000)),
]

/** Measures a history of a million jobs, which takes minutes to generate. */
export const benchLongHistory = (): Promise<readonly BenchRow[]> => rowsOf(1_000_000)

async function rowsOf(jobs: number): Promise<readonly BenchRow[]> {
  const name = `history of ${jobs.toLocaleString('en')} jobs`
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'history.db')
  fillHistory(file, jobs)
  const opening = await best(() => {
    const history = open(file)
    history.page({}, PAGE)
    history.close()
  })
  const history = open(file)
  const searches: number[] = []
  for (const text of [...SEARCHES, ...SEARCHES, ...SEARCHES])
    searches.push(await timed(() => history.page({ text }, PAGE)))
  const filters = { text: 'web', outcomes: ['problems', 'failed'], kind: 'photos' } as const
  const filtered = await best(() => history.page(filters, PAGE))
  const before = keyOfRecord(jobs / 2)
  const middle = await best(() => history.page({}, { ...PAGE, before }))
  const farthest = { ...PAGE, offset: MOST_COUNTED - PAGE.limit } as const
  const skipping = await best(() => {
    const { records } = history.page({ text: 'pictures' }, farthest)
    if (records.length < PAGE.limit) throw new Error('Too few jobs match.')
  })
  const saved = await savedWork(history)
  const details = await best(() => history.details(asRecordId('r5000')))
  history.close()
  const note = `${searches.length} searches, slowest ${Math.max(...searches).toFixed(1)} ms; matches are counted up to 10,000`
  return [
    atMost(`${name}: open and first page`, opening, 'ms', 50, BEST),
    atMost(`${name}: search, p95`, p95(searches), 'ms', 20, note),
    atMost(`${name}: search with filters`, filtered, 'ms', 20, BEST),
    atMost(`${name}: page in the middle`, middle, 'ms', 20, `${BEST}; by its key, as the window reads on`),
    atMost(
      `${name}: page of a search, 9,900 jobs further`,
      skipping,
      'ms',
      20,
      `${BEST}; the farthest jump in the list`,
    ),
    atMost(
      `${name}: space saved by all photos, longest tick`,
      saved.loopMs,
      'ms CPU',
      16,
      `${saved.cpu.toFixed(0)} ms CPU in total; the window asks again after nine times the duration`,
    ),
    atMost(`${name}: details`, details, 'ms', 20, BEST),
  ]
}

async function savedWork(history: History): Promise<{ readonly cpu: number; readonly loopMs: number }> {
  await history.saved({ kind: 'photos' })
  const before = cpuTime()
  const stop = watchTicks()
  await history.saved({ kind: 'photos' })
  return { cpu: cpuTime() - before, loopMs: stop().loopMs }
}

/** Returns the shortest time in ms. */
async function best(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(work))
  return Math.min(...times)
}

/**
 * Measures how slow the computer is at the moment. A shared host may be half as fast for some minutes, in which a budget in ms would be missed for
 * no reason.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { cpuTime, median } from './measure.ts'

/** What the work takes on the computer on which the tables were measured, in ms, while nothing else slows it down. It uses one thread. */
const USUAL_MS = 50
const ROUNDS = 9
const ROWS = 5_000

/** Code that is slower by more than this misses its budget, however slow the computer is. */
const MOST = 2

/** How many times as much time as usual a fixed piece of work takes, to one decimal place, from 1 to `MOST`. */
export type Slowness = { readonly wall: number; readonly cpu: number }

export function slowness(): Slowness {
  const times = Array.from({ length: ROUNDS }, () => {
    const [begun, used] = [performance.now(), cpuTime()]
    work()
    return { wall: performance.now() - begun, cpu: cpuTime() - used }
  })
  const ratio = (kind: keyof Slowness) =>
    Math.min(MOST, Math.max(1, Math.round((10 * median(times.map((time) => time[kind]))) / USUAL_MS) / 10))
  return { wall: ratio('wall'), cpu: ratio('cpu') }
}

export const slowerOf = (one: Slowness, other: Slowness): Slowness => ({
  wall: Math.max(one.wall, other.wall),
  cpu: Math.max(one.cpu, other.cpu),
})

/** The kinds of work that the rows in ms measure: JSON, the database, and asking for files. */
function work(): void {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE jobs (id TEXT PRIMARY KEY, job TEXT)')
  const insert = database.prepare('INSERT INTO jobs VALUES (?, ?)')
  const read = database.prepare('SELECT job FROM jobs WHERE id = ?')
  for (let n = 0; n < ROWS; n++) {
    const files = Array.from({ length: 5 }, (_, file) => ({ path: `/photos/${n}/${file}.jpg`, size: n }))
    insert.run(`job-${n}`, JSON.stringify({ id: n, files }))
    JSON.parse(String(read.get(`job-${n}`)?.['job']))
    statSync(import.meta.filename)
  }
}

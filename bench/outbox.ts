/**
 * Sends a thousand submissions through the outbox. Measures only the app's part: the service responds immediately, in the same
 * process.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { atMost, atMostTimes, type BenchRow } from './row.ts'
import { NEXT_TO_ORIGINALS, SUBMISSIONS, sendAll } from './send-all.ts'
import { temporaryFolder } from './temporary-folder.ts'

const WAITING = 10_000
const BUDGET_MS = 5
const ROUNDS = 3

type Sent = Awaited<ReturnType<typeof sendAll>>

export async function benchOutbox(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  const alone = await sendAll(join(folder.path, 'alone'), 0)
  const waiting = await sendAll(join(folder.path, 'waiting'), WAITING)
  // Measuring ticks uses CPU time while the loop waits for the disk, so CPU time is measured in separate runs.
  const watched = Array.from({ length: ROUNDS }, (_, n) => sendWatched(join(folder.path, `watched-${n}`)))
  // Other processes can only make a tick longer, so the quietest round counts.
  const { wallMs, loopMs, ms } = watched
    .map(({ longest }) => longest)
    .reduce((one, other) => (other.wallMs < one.wallMs ? other : one))
  const lostOrDuplicated = [alone, waiting, ...watched].reduce(
    (sum, { lost, created }) => sum + lost + Math.abs(created - SUBMISSIONS),
    0,
  )
  const inFolders = await sendAll(join(folder.path, 'folders'), 0, undefined, NEXT_TO_ORIGINALS)
  const { submissions } = NEXT_TO_ORIGINALS
  return [
    atMost(
      '1,000 submissions: our own time each',
      alone.ms / SUBMISSIONS,
      'ms CPU',
      BUDGET_MS,
      `${(alone.wallMs / SUBMISSIONS).toFixed(1)} ms with four waits for the disk`,
    ),
    atMost(
      '1,000 submissions with 10,000 waiting: our own time each',
      waiting.ms / SUBMISSIONS,
      'ms CPU',
      BUDGET_MS,
    ),
    atMostTimes(
      'longest event-loop tick with 10,000 waiting',
      wallMs,
      'ms',
      { floor: timeToCheck(join(folder.path, 'watched-0', 'outbox.db')), most: 4.5 },
      `wall-clock time in the quietest of ${ROUNDS} rounds; CPU time of the loop ${loopMs.toFixed(1)} ms, of all threads ${ms.toFixed(1)} ms; it opens the outbox, and the floor is SQLite’s quick check of that file`,
    ),
    atMost(
      'next to the originals, 1,000 files in 200 folders: our own time for each submission',
      inFolders.ms / submissions,
      'ms CPU',
      BUDGET_MS,
      'as one job of 200 submissions',
    ),
    atMost('1,000 submissions: lost or duplicated', lostOrDuplicated, '', 0),
  ]
}

/** Returns how long SQLite takes to check a database at best, in ms. */
function timeToCheck(file: string): number {
  const times = Array.from({ length: ROUNDS }, () => {
    using database = new DatabaseSync(file, { readOnly: true })
    const begun = performance.now()
    database.prepare('PRAGMA quick_check(1)').get()
    return performance.now() - begun
  })
  return Math.min(...times)
}

const sendWatched = (folder: string): Sent =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, 'sending-process.ts'), folder, `${WAITING}`], {
      encoding: 'utf8',
    }),
  )

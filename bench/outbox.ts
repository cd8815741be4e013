/**
 * A thousand submissions through the outbox. What is measured is our own part: the service answers at once, in the same
 * process.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRow } from './row.ts'
import { SUBMISSIONS, sendAll } from './send-all.ts'
import { beside, quietest } from './turns.ts'

const WAITING = 10_000
const BUDGET_MS = 5
const TURN_MS = 16

type Sent = Awaited<ReturnType<typeof sendAll>>

export async function benchOutbox(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-'))
  try {
    const alone = await sendAll(join(folder, 'alone'), 0)
    const long = await sendAll(join(folder, 'long'), WAITING)
    // To watch turns takes time of its own, while the disk is waited for.
    const watched = await quietest((n) => watchedIn(join(folder, `watched-${n}`)))
    const { longest } = watched.least
    const each = alone.ms / SUBMISSIONS
    const lostOrDoubled = [alone, long, ...watched.all].reduce(
      (sum, { lost, made }) => sum + lost + Math.abs(made - SUBMISSIONS),
      0,
    )
    return [
      {
        name: '1 000 submissions through the outbox: own time each',
        measured: each,
        unit: 'ms',
        budget: `≤ ${BUDGET_MS} ms`,
        met: each <= BUDGET_MS,
        note: `processor time; with four waits for the disk ${(alone.wallMs / SUBMISSIONS).toFixed(1)} ms`,
      },
      {
        name: '1 000 submissions with 10 000 waiting: own time each',
        measured: long.ms / SUBMISSIONS,
        unit: 'ms',
        budget: `≤ ${BUDGET_MS} ms`,
        met: long.ms / SUBMISSIONS <= BUDGET_MS,
        note: 'processor time',
      },
      {
        name: 'longest turn of the loop, opening and sending with 10 000 waiting',
        measured: longest.wallMs,
        unit: 'ms',
        budget: `≤ ${TURN_MS} ms`,
        met: longest.wallMs <= TURN_MS,
        note: beside(longest),
      },
      {
        name: '1 000 submissions through the outbox: lost or doubled',
        measured: lostOrDoubled,
        unit: '',
        budget: '0',
        met: lostOrDoubled === 0,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const watchedIn = (folder: string): Sent =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, 'sending-process.ts'), folder, `${WAITING}`], {
      encoding: 'utf8',
    }),
  )

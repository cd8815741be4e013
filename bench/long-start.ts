/** Drafts of many files, each a submission of its own: from the press of Start until all of them are shown and remembered. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaItem } from '../src/shared/model/media-item.ts'
import { openIdleCore } from './open-core.ts'
import type { BenchRow } from './row.ts'
import { beside, quietest, turn, watchTurns, type LongestTurns } from './turns.ts'

const TURN_MS = 16

export async function benchLongStart(): Promise<readonly BenchRow[]> {
  // The first one is only there for what is compiled on the way.
  await startMany(100)
  return [await rowFor(1_000), await rowFor(10_000)]
}

async function rowFor(count: number): Promise<BenchRow> {
  const { longest, ms } = (await quietest(() => startMany(count))).least
  return {
    name: `longest turn of the loop, starting ${count.toLocaleString('fr')} submissions at once`,
    measured: longest.wallMs,
    unit: 'ms',
    budget: `≤ ${TURN_MS} ms`,
    met: longest.wallMs <= TURN_MS,
    note: `${beside(longest)}; started after ${ms.toFixed(0)} ms`,
  }
}

async function startMany(count: number): Promise<{ longest: LongestTurns; ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-'))
  const core = openIdleCore(folder)
  try {
    core.drafts.store.add(
      Array.from({ length: count }, (_, n) => photo(n)),
      [],
    )
    core.drafts.store.change({ grouping: 'separate' })
    await turn()

    const longestTurn = watchTurns()
    const pressed = performance.now()
    const started = await core.drafts.start({ split: false, grace: 0 })
    const ms = performance.now() - pressed
    const last = started.ok ? started.ids[count - 1] : undefined
    if (last === undefined) throw new Error('not all of it was started')
    const isOver = () => core.state.get().outbox.length === count && core.history.has(last)
    while (!isOver()) await turn()
    return { longest: longestTurn(), ms }
  } finally {
    await core.close()
    rmSync(folder, { recursive: true })
  }
}

const photo = (n: number): MediaItem => ({
  path: `/home/me/Pictures/Holiday in Norway/IMG_${n}.jpg`,
  name: `IMG_${n}.jpg`,
  kind: 'image',
  size: 4_000_000,
})

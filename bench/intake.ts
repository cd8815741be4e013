import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMedia } from '../src/main/intake/index.ts'
import type { BenchRow } from './row.ts'

const FILES = 10_000

/** A folder of 10 000 photos is dropped: how long until all are known, and how long anything else had to wait. */
export async function benchIntake(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-intake-'))
  try {
    await fill(folder)
    const longestTurn = watchTurns()
    const start = performance.now()
    let found = 0
    let first = 0
    for await (const { items } of findMedia([folder])) {
      if (found === 0) first = performance.now() - start
      found += items.length
    }
    const took = performance.now() - start
    const longest = longestTurn()
    if (found !== FILES) throw new Error(`${String(found)} of ${String(FILES)} files were found.`)
    return [
      {
        name: 'intake of a 10 000-file folder',
        measured: took,
        unit: 'ms',
        budget: '≤ 2000',
        met: took <= 2_000,
        note: `the first files after ${first.toFixed(0)} ms`,
      },
      {
        name: 'intake, longest work between two turns',
        measured: longest,
        unit: 'ms',
        budget: '≤ 16',
        met: longest <= 16,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** CPU time of this thread, in ms. */
function spent(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * The most CPU time, in ms, that this thread spent before anything else had its turn. Not by the clock: on a busy machine
 * that would measure the others.
 */
function watchTurns(): () => number {
  let longest = 0
  let last = spent()
  let going = true
  const turn = () => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
    if (going) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    going = false
    return longest
  }
}

async function fill(folder: string): Promise<void> {
  for (let group = 0; group < FILES / 500; group++) {
    const sub = join(folder, String(group % 4))
    await mkdir(sub, { recursive: true })
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        writeFile(join(sub, `${String(group)}-${String(index)}.jpg`), 'x'),
      ),
    )
  }
}

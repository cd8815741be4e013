import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Timing } from '../../../src/node/timing.ts'

type Timer = { readonly at: number; readonly run: () => void }

/** Time that passes when it is told to, for everybody in one round. */
export type VirtualTime = {
  now(): number
  /** A clock and timers of one process, which stop with it. The wall clock may be set; what is monotonic goes on. */
  forProcess(isAlive: () => boolean): Timing
  after(ms: number, run: () => void): () => void
  setWallClock(byMs: number): void
  advance(ms: number): Promise<void>
}

export function createVirtualTime(): VirtualTime {
  const timers = new Set<Timer>()
  let now = 0
  let wall = Date.UTC(2026, 10, 20)

  function after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: now + Math.max(0, ms), run }
    timers.add(timer)
    return () => timers.delete(timer)
  }

  function nextBefore(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers)
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer
    return first
  }

  return {
    now: () => now,
    after,
    forProcess: (isAlive) => ({
      clock: () => wall + now,
      monotonic: () => now,
      after: (ms, run) => after(ms, () => (isAlive() ? run() : undefined)),
      random: () => 0.5,
    }),
    setWallClock(byMs) {
      wall += byMs
    },
    async advance(ms) {
      const end = now + ms
      await settled()
      for (let timer = nextBefore(end); timer !== undefined; timer = nextBefore(end)) {
        timers.delete(timer)
        now = Math.max(now, timer.at)
        timer.run()
        await settled()
      }
      now = end
    },
  }
}

/** Everything that follows from the last event has happened: promises first, then what asks the file system. */
async function settled(): Promise<void> {
  await new Promise(setImmediate)
  await stat(tmpdir())
  await new Promise(setImmediate)
}

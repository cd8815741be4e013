import { AsyncLocalStorage } from 'node:async_hooks'
import type { Timing } from '../../../src/node/timing.ts'

type Timer = { readonly at: number; readonly run: () => void }

export type VirtualTime = ReturnType<typeof createVirtualTime>

/** Virtual time for everything in one round; it advances on request. */
export function createVirtualTime() {
  const timers = new Set<Timer>()
  let now = 0
  let wall = Date.UTC(2026, 10, 20)

  function after(ms: number, run: () => void): () => void {
    // The callback runs in the async context of the process that scheduled it.
    const timer: Timer = { at: now + Math.max(0, ms), run: AsyncLocalStorage.bind(run) }
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
    /** Clock and timers of one process, which stop with it. The wall clock can be set; the monotonic clock keeps running. */
    forProcess: (isAlive: () => boolean): Timing => ({
      clock: () => wall + now,
      monotonic: () => now,
      after: (ms, run) => after(ms, () => (isAlive() ? run() : undefined)),
      random: () => 0.5,
    }),
    setWallClock: (byMs: number) => void (wall += byMs),
    async advance(ms: number) {
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

/** Resolves when all consequences of the last event have happened, including file system calls of any duration. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 2; quiet = asksFileSystem() ? 0 : quiet + 1) await new Promise(setImmediate)
}

const asksFileSystem = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /^(FSReq|CloseReq)/.test(name))

import type { WatchTiming } from '../../../src/main/watch/index.ts'

/** Virtual time that only a test advances, so that the machine's speed doesn't matter. */
export function holdTime() {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const dueAt = (limit: number) => [...timers].filter(({ at }) => at <= limit).toSorted((a, b) => a.at - b.at)
  const timing: WatchTiming = {
    clock: Date.now,
    monotonic: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    timing,
    /** Number of timers due within this many ms. */
    dueWithin: (ms: number) => dueAt(now + ms).length,
    pass: (ms: number) => {
      const end = now + ms
      for (let [next] = dueAt(end); next !== undefined; [next] = dueAt(end)) {
        timers.delete(next)
        now = next.at
        next.run()
      }
      now = end
    },
  }
}

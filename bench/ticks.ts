/** Measures how long this process's event-loop ticks take. */
import { cpuTime, milliseconds } from './measure.ts'

/** The maximum of each measure in ms, possibly from different ticks. */
export type LongestTicks = {
  /** CPU time of all threads, including those for compilation, garbage collection and disk access. */
  readonly ms: number
  /** CPU time of the event-loop thread. */
  readonly loopMs: number
  /** Wall-clock time, including time in which other processes use the CPU. */
  readonly wallMs: number
}

/** Starts measuring ticks. @returns a function that stops and returns the longest ones */
export function watchTicks(): () => LongestTicks {
  const longest = { ms: 0, loopMs: 0, wallMs: 0 }
  let isStopped = false
  let last = clocks()
  const sample = () => {
    const now = clocks()
    longest.ms = Math.max(longest.ms, now.ms - last.ms)
    longest.loopMs = Math.max(longest.loopMs, now.loopMs - last.loopMs)
    longest.wallMs = Math.max(longest.wallMs, now.wallMs - last.wallMs)
    last = now
    if (!isStopped) setImmediate(sample)
  }
  sample()
  return () => {
    isStopped = true
    return longest
  }
}

const clocks = (): LongestTicks => ({
  ms: cpuTime(),
  loopMs: milliseconds(process.threadCpuUsage()),
  wallMs: performance.now(),
})

/** Resolves in the next event-loop tick, as a response from the network would. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** How long the turns of this process's event loop are, in processor time: what others on the machine do is not in it. */

/** In ms, each of another turn. */
export type LongestTurns = {
  /** Processor time of all threads. */
  readonly ms: number
  /** What passed meanwhile, with the time for which others had the processors. */
  readonly wallMs: number
}

/** @returns a function that ends the watching and says how long the longest turns of the loop were */
export function watchTurns(): () => LongestTurns {
  const longest = { ms: 0, wallMs: 0 }
  let isOver = false
  let last = { ms: processorTime(), wallMs: performance.now() }
  const look = () => {
    const now = { ms: processorTime(), wallMs: performance.now() }
    longest.ms = Math.max(longest.ms, now.ms - last.ms)
    longest.wallMs = Math.max(longest.wallMs, now.wallMs - last.wallMs)
    last = now
    if (!isOver) setImmediate(look)
  }
  look()
  return () => {
    isOver = true
    return longest
  }
}

/** ms */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Resolves in a turn of the loop of its own, as what comes over a network does. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

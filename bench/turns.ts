/** How long the turns of this process's event loop are, in processor time: what others on the machine do is not in it. */

/** In ms, each of another turn. */
export type LongestTurns = {
  /** Processor time of all threads, those that compile and collect garbage beside the loop too. */
  readonly ms: number
  /** Processor time of the thread that runs the loop. */
  readonly loopMs: number
  /** What passed meanwhile, with the time for which others had the processors. */
  readonly wallMs: number
}

/** @returns a function that ends the watching and says how long the longest turns of the loop were */
export function watchTurns(): () => LongestTurns {
  const longest = { ms: 0, loopMs: 0, wallMs: 0 }
  let isOver = false
  let last = moment()
  const look = () => {
    const now = moment()
    longest.ms = Math.max(longest.ms, now.ms - last.ms)
    longest.loopMs = Math.max(longest.loopMs, now.loopMs - last.loopMs)
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

const moment = (): LongestTurns => ({
  ms: processorTime(),
  loopMs: milliseconds(process.threadCpuUsage()),
  wallMs: performance.now(),
})

/** ms */
export const processorTime = (): number => milliseconds(process.cpuUsage())

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** The other measures of the same turns, for a note. */
export const beside = ({ loopMs, wallMs }: LongestTurns): string =>
  `processor time of all threads; ${loopMs.toFixed(1)} ms of the loop's own, ${wallMs.toFixed(0)} ms on the wall`

/** Resolves in a turn of the loop of its own, as what comes over a network does. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** How long the turns of this process's event loop are. */

/** In ms, each of another turn. */
export type LongestTurns = {
  /** Processor time of all threads, those that compile, collect garbage and wait for the disk beside the loop too. */
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

const ROUNDS = 3

/** The same is done so many times, and the quietest counts: what else the machine does can only make a turn longer. */
export async function quietest<T extends { readonly longest: LongestTurns }>(
  round: (n: number) => T | Promise<T>,
): Promise<{ readonly least: T; readonly all: readonly T[] }> {
  const all: T[] = []
  for (let n = 0; n < ROUNDS; n += 1) all.push(await round(n))
  return { least: all.reduce((one, other) => (other.longest.wallMs < one.longest.wallMs ? other : one)), all }
}

/** The other measures of the same turns, for a note. */
export const beside = ({ loopMs, ms }: LongestTurns): string =>
  `on the wall, in the quietest of ${ROUNDS} rounds; processor time of the loop ${loopMs.toFixed(1)}, of all threads ${ms.toFixed(1)} ms`

/** Resolves in a turn of the loop of its own, as what comes over a network does. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

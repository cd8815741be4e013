/** Measures how processor time grows with the input, so that a test needs no limit in milliseconds. */

const TIMES_LARGER = 8
const RUNS = 3
/** Maximum number of measurements of processor time. Other programs on the same core and cache can inflate a single one. */
const ATTEMPTS = 4
/** An exponent this low counts as linear without a more expensive measurement. */
const CLEAR = 1.2
/**
 * A large input that takes fewer ms than this counts as linear: a quadratic function needs at least 640 ms for it. Shorter times say
 * little, because the clock and garbage collection dominate them.
 */
const TOO_SHORT = 40
/** The system may update a thread's processor time only every 10 ms, so this many ms are measured together. */
const LONG_ENOUGH = 100

/**
 * @param size size of the smaller input; a quadratic function should need at least 10 ms for it
 * @returns the exponent: 1 for linear time, 2 for quadratic time
 */
export function growthOf<Input>(
  size: number,
  inputOf: (size: number) => Input,
  run: (input: Input) => unknown,
) {
  const [small, large] = [inputOf(size), inputOf(size * TIMES_LARGER)]
  const exponent = (long: number, short: number) => Math.log(long / short) / Math.log(TIMES_LARGER)
  const long = leastTime(large, run)
  if (long < TOO_SHORT) return 0
  const growth = exponent(long, leastTime(small, run))
  // On a busy machine, long runs are interrupted more often than short ones.
  return growth <= CLEAR ? growth : leastGrowth()

  function leastGrowth(): number {
    let [forLarge, forSmall] = [Infinity, Infinity]
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      forLarge = Math.min(forLarge, processorTime(large, run))
      forSmall = Math.min(forSmall, processorTime(small, run))
      if (exponent(forLarge, forSmall) <= CLEAR) break
    }
    return exponent(forLarge, forSmall)
  }
}

/** Returns the shortest time of several runs in ms, including interruptions by other processes. */
function leastTime<Input>(input: Input, run: (input: Input) => unknown): number {
  let least = Infinity
  for (let count = 0; count < RUNS; count += 1) {
    const begun = performance.now()
    run(input)
    least = Math.min(least, performance.now() - begun)
  }
  return least
}

/** Returns the average processor time of many runs in ms. */
function processorTime<Input>(input: Input, run: (input: Input) => unknown): number {
  const begun = process.threadCpuUsage()
  for (let count = 1; ; count += 1) {
    run(input)
    const { user, system } = process.threadCpuUsage(begun)
    const total = (user + system) / 1000
    if (total >= LONG_ENOUGH) return total / count
  }
}

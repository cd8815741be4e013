/** Measures how processor time grows with the input, so that a test needs no limit in milliseconds. */

const TIMES_LARGER = 4
const RUNS = 4
/** An exponent this low counts as linear without a more expensive measurement. */
const CLEAR = 1.2
/**
 * Run times below this many ms are too short to measure: the clock and garbage collection dominate, and nothing quadratic is that
 * fast.
 */
const TOO_SHORT = 4
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
  return growth <= CLEAR ? growth : exponent(processorTime(large, run), processorTime(small, run))
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

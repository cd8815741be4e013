/** Measures how run time grows with the input, so that a test needs no limit in milliseconds. */

const TIMES_LARGER = 4
const RUNS = 4
const ATTEMPTS = 3
/** An exponent this low counts as linear without a second measurement. */
const CLEAR = 1.2
/**
 * Run times below this many ms are too short to measure: the clock and garbage collection dominate, and nothing quadratic is that
 * fast.
 */
const TOO_SHORT = 4

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
  let growth = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && growth > CLEAR; attempt += 1) {
    const long = leastTime(large, run)
    if (long < TOO_SHORT) return 0
    growth = Math.min(growth, Math.log(long / leastTime(small, run)) / Math.log(TIMES_LARGER))
  }
  return growth
}

/** Returns the shortest time of several runs, because other processes use the CPU as well. */
function leastTime<Input>(input: Input, run: (input: Input) => unknown): number {
  let least = Infinity
  for (let count = 0; count < RUNS; count += 1) {
    const begun = performance.now()
    run(input)
    least = Math.min(least, performance.now() - begun)
  }
  return least
}

/** Clock, timers and randomness. Passed in as dependencies so that tests can control them. */
export type Timing = {
  /** Wall-clock time in ms since 1970. It jumps when the clock is set. */
  readonly clock: () => number
  /** Time in ms from an arbitrary origin. Never decreases. */
  readonly monotonic: () => number
  /**
   * Runs a callback once after a delay in ms.
   * @returns a function that cancels the timer
   */
  readonly after: (ms: number, run: () => void) => () => void
  /** Random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
}

/**
 * How many times faster timers and the monotonic clock run. Tests of whole processes set this, because they would otherwise spend most of
 * their time waiting.
 */
const pace = Number(process.env['MEDIATRAY_PACE']) || 1

export const systemTiming: Timing = {
  clock: () => Date.now(),
  monotonic: () => performance.now() * pace,
  after(ms, run) {
    const timer = setTimeout(run, ms / pace)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** Resolves to the result of `work`; undefined if it takes longer than this. */
export function within<T>(ms: number, after: Timing['after'], work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = after(ms, () => late.resolve(undefined))
  return Promise.race([work, late.promise]).finally(cancel)
}

/** Time and chance come from outside, so that a test can hold them. */
export type Timing = {
  /** ms since 1970; may jump. */
  readonly clock: () => number
  /** ms, never going back. */
  readonly monotonic: () => number
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** 0..1 */
  readonly random: () => number
}

export const systemTiming: Timing = {
  clock: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

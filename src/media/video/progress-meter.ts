import type { ProcessingProgress } from '../protocol.ts'

export type ProgressMeter = {
  /** @param seconds of the finished video so far */
  readonly encoding: (seconds: number) => void
  /** @param seconds of the finished video so far */
  readonly copying: (seconds: number) => void
  readonly finishing: () => void
}

const MS_BETWEEN_REPORTS = 200
/** What is left for writing the index. */
const SHARE_BEFORE_FINISHING = 0.99

/**
 * Turns times in the video into shares of the work, at most five a second, never backwards.
 *
 * @param duration seconds; undefined where nobody knows, and then nothing is pretended
 * @param now ms, from a clock that only goes forwards
 */
export function createProgressMeter(
  duration: number | undefined,
  report: (progress: ProcessingProgress) => void,
  now: () => number,
): ProgressMeter {
  let lastReport = -Infinity
  let share = 0

  const at = (phase: string, seconds: number): void => {
    const time = now()
    if (time - lastReport < MS_BETWEEN_REPORTS) return
    lastReport = time
    const reached = duration === undefined ? 0 : (seconds / duration) * SHARE_BEFORE_FINISHING
    share = Math.max(share, Math.min(reached, SHARE_BEFORE_FINISHING))
    report({ phase, share })
  }

  return {
    encoding: (seconds) => at('Encoding', seconds),
    copying: (seconds) => at('Copying', seconds),
    finishing: () => report({ phase: 'Finishing', share: SHARE_BEFORE_FINISHING }),
  }
}

/** Reports how much of a video has been converted. */
import type { ProcessingProgress } from '../protocol.ts'

const MS_BETWEEN_REPORTS = 200
/** Maximum progress before the index is written. */
export const SHARE_BEFORE_FINISHING = 0.99

export type Report = (phase: ProcessingProgress['phase'], seconds: number) => void

/**
 * Converts times in the finished video to progress from 0 to 1. Reports at most five times per second and never decreases.
 * @param duration in seconds; if undefined, progress remains at 0
 */
export function createProgressReport(
  duration: number | undefined,
  send: (progress: ProcessingProgress) => void,
): Report {
  let lastReport = -Infinity
  let share = 0
  return (phase, seconds) => {
    const now = performance.now()
    if (now - lastReport < MS_BETWEEN_REPORTS) return
    lastReport = now
    const reached = duration === undefined ? 0 : (seconds / duration) * SHARE_BEFORE_FINISHING
    share = Math.max(share, Math.min(reached, SHARE_BEFORE_FINISHING))
    send({ phase, share })
  }
}

/**
 * Counts only the time that has certainly passed. A clock may be wrong by any amount, for example, if the network hasn't corrected it yet.
 * A forward step therefore counts as at most a day. A backward step doesn't count.
 */
import { DAY_MS } from '../../shared/durations.ts'
export type ObservedTime = {
  /** The latest time that was seen, in ms since 1970. */
  readonly latest: number
  /** The time that has certainly passed, in ms. */
  readonly elapsed: number
  /** The last reading if it is earlier than `latest`, in ms since 1970; null if the clock is right or ahead. */
  readonly earlier: number | null
  /** The time for which the clock has been behind `latest`, in ms. */
  readonly behind: number
}

/** @param now ms since 1970 */
export function observedAfter(known: ObservedTime | undefined, now: number): ObservedTime {
  const start = { latest: now, elapsed: 0, earlier: null, behind: 0 }
  if (known === undefined) return start
  const { latest, elapsed, earlier } = known
  if (now >= latest) return { ...start, elapsed: elapsed + Math.min(now - latest, DAY_MS) }
  const step = earlier === null || now < earlier ? 0 : Math.min(now - earlier, DAY_MS)
  const behind = known.behind + step
  // If the clock has been behind the latest time for more than a day, that time was wrong.
  return behind > DAY_MS ? { ...start, elapsed } : { latest, elapsed, earlier: now, behind }
}

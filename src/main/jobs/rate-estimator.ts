import { DAY_MS } from '../../shared/durations.ts'

/** Observed speed of a job. Times are monotonic, in ms; progress is 0..1. */
export type ObservedRate = {
  /** When progress was first seen, moved forward by pauses and gaps since then; null if it hasn't been seen yet. */
  readonly since: number | null
  readonly lastAt: number
  readonly lastShare: number
  /** Smoothed progress per ms. */
  readonly speed: number
  /** Number of polls in which the progress increased. */
  readonly steps: number
}

export const NO_RATE: ObservedRate = { since: null, lastAt: 0, lastShare: 0, speed: 0, steps: 0 }

/** Maximum time in ms between polls. A longer gap means sleep or an outage, not a slow job. */
const GAP_MS = 60_000
/** Shortest smoothing time constant. */
const SHORTEST_MEMORY_MS = 15_000

const SEEN_LONG_ENOUGH_MS = 5_000
const STEPS_NEEDED = 2
/** Longest estimate in ms. A longer one is useless. */
const LONGEST_MS = DAY_MS

/**
 * If the progress has decreased, because a file is processed again, the speed stays the same and the time since the last poll doesn't
 * count.
 * @param isHeld whether the job is paused, so that the time since the last poll doesn't count
 */
export function recordShare(
  rate: ObservedRate,
  share: number | null,
  at: number,
  isHeld = false,
): ObservedRate {
  if (share === null) return rate
  if (rate.since === null) return { ...NO_RATE, since: at, lastAt: at, lastShare: share }
  const passed = at - rate.lastAt
  if (passed <= 0) return rate
  const grown = share - rate.lastShare
  if (isHeld || grown < 0 || passed > GAP_MS)
    return { ...rate, lastAt: at, lastShare: share, since: rate.since + passed }

  // Per-file progress increases in steps. The longer a job has run, the longer the time constant that smooths them.
  const memory = Math.max(SHORTEST_MEMORY_MS, (at - rate.since) / 3)
  const weight = rate.steps === 0 ? 1 : 1 - Math.exp(-passed / memory)
  return {
    since: rate.since,
    lastAt: at,
    lastShare: share,
    speed: rate.speed + weight * (grown / passed - rate.speed),
    steps: rate.steps + (grown > 0 ? 1 : 0),
  }
}

/**
 * Returns the remaining time in ms, rounded up to whole seconds. Returns null at full progress, or if the time would be a guess: until
 * the progress has been observed for 5 s and has increased twice, or if the estimate is more than a day.
 */
export function timeLeft(rate: ObservedRate, at: number): number | null {
  if (rate.since === null || at - rate.since < SEEN_LONG_ENOUGH_MS) return null
  if (rate.steps < STEPS_NEEDED || rate.speed <= 0 || rate.lastShare >= 1) return null
  const left = (1 - rate.lastShare) / rate.speed
  return left > LONGEST_MS ? null : Math.ceil(left / 1000) * 1000
}

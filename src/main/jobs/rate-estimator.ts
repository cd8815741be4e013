/** How fast a job goes, from what was seen of it. Times are monotonic, in ms; shares are 0..1. */
export type ObservedRate = {
  /** When progress was first seen; null before. */
  readonly since: number | null
  readonly lastAt: number
  readonly lastShare: number
  /** Smoothed, share per ms. */
  readonly speed: number
  /** Readings in which it had grown. */
  readonly steps: number
}

export const NO_RATE: ObservedRate = { since: null, lastAt: 0, lastShare: 0, speed: 0, steps: 0 }

/** A longer silence than this was sleep or an outage and says nothing about the job's speed. */
const GAP_MS = 60_000
/** How long a change of speed takes to be believed. */
const SHORTEST_MEMORY_MS = 15_000

const SEEN_LONG_ENOUGH_MS = 5_000
const STEPS_NEEDED = 2
/** Beyond a day the guess is worth nothing. */
const LONGEST_MS = 24 * 60 * 60 * 1000

export function noteShare(rate: ObservedRate, share: number | null, at: number): ObservedRate {
  if (share === null) return rate
  if (rate.since === null) return { ...NO_RATE, since: at, lastAt: at, lastShare: share }
  const passed = at - rate.lastAt
  if (passed <= 0) return rate
  if (passed > GAP_MS) return { ...rate, lastAt: at, lastShare: share, since: rate.since + passed }

  const grown = share - rate.lastShare
  // Work that comes file by file moves in steps; the longer a job has run, the longer the memory that evens them out.
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

/** In ms, whole seconds; null when it would be a guess: before 5 s and two steps, or where the job stands still. */
export function timeLeft(rate: ObservedRate, at: number): number | null {
  if (rate.since === null || at - rate.since < SEEN_LONG_ENOUGH_MS) return null
  if (rate.steps < STEPS_NEEDED || rate.speed <= 0 || rate.lastShare >= 1) return null
  const left = (1 - rate.lastShare) / rate.speed
  return left > LONGEST_MS ? null : Math.ceil(left / 1000) * 1000
}

import { POLL_INTERVAL_MS } from '../../shared/api/limits.ts'

/** Nothing is under way, and somebody is looking. */
export const IDLE_MS = 10_000
/** Nothing is under way and nobody is looking: one request in 30 s. */
export const IDLE_HIDDEN_MS = 30_000
export const LONGEST_BACK_OFF_MS = 60_000

export type PollSituation = {
  /** Something is queued, in work or uploading. */
  readonly busy: boolean
  readonly visible: boolean
  /** Polls in a row that have failed. */
  readonly failures: number
}

/** ms until the next poll. @param random 0..1, so that several clients of a service that is back don't all ask at once */
export function pollDelay({ busy, visible, failures }: PollSituation, random: () => number): number {
  if (failures > 0) {
    const longest = Math.min(LONGEST_BACK_OFF_MS, POLL_INTERVAL_MS * 2 ** Math.min(failures, 10))
    return longest / 2 + (longest / 2) * random()
  }
  if (busy) return POLL_INTERVAL_MS
  return visible ? IDLE_MS : IDLE_HIDDEN_MS
}

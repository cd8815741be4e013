import type { WaitingReason } from '../../shared/model/work.ts'
import type { Pause } from '../../node/work-loop.ts'
import type { Timing } from '../../node/timing.ts'

/** What keeps all submissions from being sent; `until` in ms since 1970, null where only an event ends it. */
export type Obstacle = { readonly because: WaitingReason; readonly until: number | null }

/** What the sender itself has met with, such as a service that does not answer. */
export interface MetObstacle {
  /** null where nothing stands in the way, or no longer. */
  current(): Obstacle | null
  /** @param forMs null: until `clear`. @returns the same, as a pause */
  meet(because: WaitingReason, forMs: number | null): Pause
  /** For a while that grows with each failure in a row. */
  backOff(because: WaitingReason): Pause
  /** @returns whether one of these stood in the way */
  clear(...reasons: readonly WaitingReason[]): boolean
  /** The service has answered: the next failure is the first one again. */
  serviceAnswered(): void
}

const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/** Doubling up to a minute, with up to a quarter more by chance so that several clients do not come back together. */
export const retryDelay = (failures: number, random: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10)) * (1 + random / 4)

export function createObstacle(
  { clock, random }: Pick<Timing, 'clock' | 'random'>,
  onChange: () => void,
): MetObstacle {
  let obstacle: Obstacle | null = null
  let failures = 0

  function meet(because: WaitingReason, forMs: number | null): Pause {
    obstacle = { because, until: forMs === null ? null : clock() + forMs }
    onChange()
    return forMs
  }

  return {
    current() {
      const until = obstacle?.until ?? null
      return until !== null && until <= clock() ? null : obstacle
    },
    meet,
    backOff(because) {
      const pause = meet(because, retryDelay(failures, random()))
      failures += 1
      return pause
    },
    clear(...reasons) {
      if (obstacle === null || !reasons.includes(obstacle.because)) return false
      obstacle = null
      failures = 0
      onChange()
      return true
    },
    serviceAnswered() {
      failures = 0
    },
  }
}

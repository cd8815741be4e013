import type { WaitingReason } from '../../shared/model/job.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Pause } from '../../node/work-loop.ts'
import type { Timing } from '../../node/timing.ts'

/** A reason why no submission can be sent. `until` is in milliseconds since 1970, or null if only an event ends the blocker. */
export type Blocker = {
  readonly because: WaitingReason
  readonly until: number | null
  /** The service's error, if it is the reason. */
  readonly error?: ServiceError | undefined
}

/** Blockers that the sender itself has encountered, such as a service that doesn't respond. */
export type MetBlocker = ReturnType<typeof createBlocker>

const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/**
 * Returns the backoff in ms. It doubles with each failure, up to a minute. Up to a quarter is added as jitter, so that several
 * clients don't retry simultaneously.
 */
export const retryDelay = (failures: number, random: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10)) * (1 + random / 4)

export function createBlocker({ clock, random }: Pick<Timing, 'clock' | 'random'>, onChange: () => void) {
  let blocker: Blocker | null = null
  let failures = 0

  /**
   * Records a blocker.
   * @param forMs duration in ms; null if the blocker lasts until `clear`
   * @returns `forMs`, as a pause
   */
  function meet(because: WaitingReason, forMs: number | null, error?: ServiceError): Pause {
    blocker = { because, until: forMs === null ? null : clock() + forMs, error }
    onChange()
    return forMs
  }

  /**
   * Removes the current blocker if it has one of these reasons.
   * @returns whether it was removed
   */
  function clear(...reasons: readonly WaitingReason[]): boolean {
    if (blocker === null || !reasons.includes(blocker.because)) return false
    blocker = null
    failures = 0
    onChange()
    return true
  }

  return {
    /** Returns the current blocker; null if nothing blocks sending. */
    current(): Blocker | null {
      const until = blocker?.until ?? null
      return until !== null && until <= clock() ? null : blocker
    },
    meet,
    /** Records a blocker with exponential backoff. */
    backOff(because: WaitingReason, error?: ServiceError): Pause {
      const pause = meet(because, retryDelay(failures, random()), error)
      failures += 1
      return pause
    },
    clear,
    /** Resets the backoff, because the service has responded. @param overcome the reasons that its response has removed */
    serviceAnswered(...overcome: readonly WaitingReason[]): void {
      clear(...overcome)
      failures = 0
    },
  }
}

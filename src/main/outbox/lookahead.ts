import { waitingIn } from '../../shared/api/job-status.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { JobList } from '../../shared/api/resources.ts'

/**
 * Limits how many jobs wait at the built-in service, because users can move only jobs that are still in the outbox. One waiting job is
 * enough to keep the service busy, unless jobs end faster than new ones are sent.
 */
export function createLookahead() {
  let most = 1
  /** Number of jobs that are known to wait at the service, including those of other clients. */
  let waiting = 0
  /** Whether a submission waits for room. */
  let isHolding = false

  return {
    /** Whether another job may be sent. */
    hasRoom(): boolean {
      isHolding ||= waiting >= most
      return waiting < most
    },
    /** @param position place of the accepted job in the service's queue; 0 if it has started */
    accepted(position: number): void {
      waiting = position
    },
    /**
     * Doubles the number of jobs that may wait, up to `MAX_WAITING_JOBS`, if the service was idle although a submission had to wait. Resets
     * the number to one if that many jobs or more still wait.
     * @returns whether a submission had to wait and may be sent now
     */
    listRead(list: JobList): boolean {
      waiting = waitingIn(list)
      if (waiting >= most) most = 1
      else if (isHolding && waiting === 0 && !list.processing) most = Math.min(2 * most, MAX_WAITING_JOBS)
      const wasHolding = isHolding
      isHolding &&= waiting >= most
      return wasHolding && !isHolding
    },
    /** Forgets what is known about the service, because the service may have changed. */
    reset(): void {
      waiting = 0
      most = 1
    },
  }
}

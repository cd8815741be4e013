/** Limits what one assistant can make this computer do at the same time, and how much it can submit. */
import type { Timing } from '../../../node/timing.ts'
import { Refused } from './access.ts'

/** Maximum number of calls of each kind that run at the same time. Each estimate starts a worker process. */
const AT_ONCE = { estimate: 2, describe: 4, submit: 2, wait: 20 } as const

/** Maximum number of jobs that a session can submit in a minute. */
const SUBMISSIONS = 30
const MINUTE_MS = 60_000

export function createSessionLimits({ monotonic }: Pick<Timing, 'monotonic'>) {
  const running = { estimate: 0, describe: 0, submit: 0, wait: 0 }
  /** Times of the submissions in the last minute, in monotonic ms. */
  let submitted: readonly number[] = []

  function countSubmission(): void {
    const now = monotonic()
    submitted = submitted.filter((at) => now - at < MINUTE_MS)
    if (submitted.length >= SUBMISSIONS)
      throw new Refused(
        `At most ${SUBMISSIONS} jobs can be submitted in a minute. Submit more files in one job.`,
      )
    submitted = [...submitted, now]
  }

  return {
    /** Runs a call. @throws Refused if too many calls of its kind are running, or if too many jobs were submitted within a minute */
    async during<T>(kind: keyof typeof AT_ONCE, call: () => Promise<T>): Promise<T> {
      if (running[kind] >= AT_ONCE[kind])
        throw new Refused(
          `At most ${AT_ONCE[kind]} calls of “${kind}” can run at the same time. Wait until one has ended.`,
        )
      if (kind === 'submit') countSubmission()
      running[kind]++
      try {
        return await call()
      } finally {
        running[kind]--
      }
    },
  }
}

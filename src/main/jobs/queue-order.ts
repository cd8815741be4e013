import type { Job } from '../../shared/api/resources.ts'
import { readServiceTime } from '../../shared/api/service-time.ts'

/**
 * The place of each waiting job, from 1. The queue is first in, first out, so older jobs are nearer; which end of the
 * list is the older one is not specified.
 */
export function queuePositions(jobs: readonly Job[]): ReadonlyMap<string, number> {
  const newestFirst = isNewestFirst(jobs)
  const waiting = jobs
    .filter((job) => job.status === 'queued')
    .map((job, index) => ({
      jobId: job.jobId,
      index: newestFirst ? -index : index,
      at: readServiceTime(job.createdAt)?.at ?? null,
    }))
  const allTimed = waiting.every(({ at }) => at !== null)
  waiting.sort((a, b) => (allTimed ? (a.at ?? 0) - (b.at ?? 0) : 0) || a.index - b.index)
  return new Map(waiting.map(({ jobId }, index) => [jobId, index + 1]))
}

/** Waiting jobs are younger than any that has begun. Where none has, "most recent jobs" reads as newest first. */
function isNewestFirst(jobs: readonly Job[]): boolean {
  const firstWaiting = jobs.findIndex((job) => job.status === 'queued')
  const firstBegun = jobs.findIndex((job) => job.status !== 'queued')
  return firstWaiting === -1 || firstBegun === -1 || firstWaiting < firstBegun
}

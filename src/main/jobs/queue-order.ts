import type { ServiceJob } from '../../shared/api/resources.ts'
import { readServiceTime } from '../../shared/api/service-time.ts'

/**
 * Returns the queue position of each waiting job, starting at 1. The queue is FIFO, so older jobs come first. The spec doesn't say
 * whether the job list starts with the oldest or the newest job.
 */
export function queuePositions(jobs: readonly ServiceJob[]): ReadonlyMap<string, number> {
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

/**
 * Whether the list begins with the newest job. Waiting jobs are newer than started ones. If no job has started, the spec's "most recent
 * jobs" is taken to mean newest first.
 */
function isNewestFirst(jobs: readonly ServiceJob[]): boolean {
  const firstWaiting = jobs.findIndex((job) => job.status === 'queued')
  const firstBegun = jobs.findIndex((job) => job.status !== 'queued')
  return firstWaiting === -1 || firstBegun === -1 || firstWaiting < firstBegun
}

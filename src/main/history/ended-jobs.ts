/** Counts how jobs end. Unlike records, the counts are never deleted, so that they can be shown as counters. */
import type { Outcome } from '../../shared/model/job.ts'
import type { StoredRecord } from './schema.ts'
import type { Tables } from './tables.ts'

const NONE = { jobs: 0, files: 0, failedFiles: 0, seconds: 0 }

/** Adds a job, given by its parts, to the counters of ended jobs. Jobs of other clients aren't counted. */
export function countEnd(tables: Tables, parts: readonly StoredRecord[], outcome: Outcome): void {
  const [first] = parts
  if (first?.origin !== 'ours') return
  const { endedJobs } = tables
  const files = parts.reduce((sum, part) => sum + (part.files ?? 0), 0)
  const before = endedJobs.get({ outcome: outcome.kind }) ?? NONE
  endedJobs.put({
    outcome: outcome.kind,
    jobs: before.jobs + 1,
    files: before.files + files,
    failedFiles: before.failedFiles + failedIn(outcome, files),
    seconds: before.seconds + secondsOf(tables, parts),
  })
}

export type EndedJobs = ReturnType<typeof endedJobsIn>

export const endedJobsIn = ({ endedJobs }: Tables) => endedJobs.all()

function failedIn(outcome: Outcome, files: number): number {
  if (outcome.kind === 'failed') return files
  return outcome.kind === 'problems' ? outcome.problems : 0
}

/** Returns the time spent processing the parts, in seconds, without waiting time. */
const secondsOf = ({ details }: Tables, parts: readonly StoredRecord[]): number =>
  parts.reduce((sum, { seq, endedAt }) => {
    const startedAt = details.only('facts').get({ seq })?.facts.startedAt ?? null
    const took = startedAt === null || endedAt === null ? 0 : endedAt - startedAt
    return sum + Math.max(0, took) / 1_000
  }, 0)

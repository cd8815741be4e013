/** Finds the jobs of the current service that belong to us: unfinished ones, and those that may match a pending submission. */
import type { Job } from '../../shared/api/resources.ts'
import type { Followed } from '../jobs/index.ts'
import type { Modules } from './modules.ts'

/** Returns jobs of the service in use that were unfinished when last seen. */
export function unfinishedJobs({
  history,
  connection,
  downloads,
  staging,
}: Pick<Modules, 'history' | 'connection' | 'downloads' | 'staging'>): readonly Followed[] {
  const { kind, baseUrl } = connection.view()
  // Each owner starts its own built-in service, which has no record of earlier jobs.
  if (kind === 'builtIn') return []
  return history
    .unfinished()
    .filter((job) => job.connection !== 'builtIn' && job.baseUrl === baseUrl)
    .filter((job) => !downloads.isBegun(job.title.id))
    .map(({ title, jobId, jobCreatedAt, acceptedAt, skipped, inputs, remote }) => ({
      title,
      jobId,
      skipped,
      inputs,
      remote,
      names: staging.namesOf(title.id),
      ...(jobCreatedAt === null ? {} : { createdAt: jobCreatedAt }),
      ...(acceptedAt === null ? {} : { acceptedAt }),
    }))
}

/**
 * Whether an untracked job may belong to a submission whose response is pending or was lost.
 * @param since ms since 1970; jobs that were submitted earlier are in the history as unfinished
 */
export const awaitedIn =
  ({ outbox, history }: Pick<Modules, 'outbox' | 'history'>, since: number) =>
  (job: Job): boolean => {
    if (history.hasJob(job.jobId, since)) return true
    return outbox.unresolved().some(({ state }) => {
      if (state.kind !== 'sending' && state.kind !== 'unknown') return false
      if (state.kind === 'unknown' && state.leftToUser) return state.candidates.some(isSame(job))
      return !state.attempt.known.some(isSame(job))
    })
  }

const isSame =
  (job: Job) =>
  ({ jobId, createdAt }: { readonly jobId: string; readonly createdAt: string }): boolean =>
    jobId === job.jobId && createdAt === job.createdAt

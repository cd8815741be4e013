/** Which jobs of the service in use are ours: those that are not over, and those that a submission may turn out to be. */
import type { Job } from '../../shared/api/resources.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { Followed } from '../jobs/index.ts'
import type { Outbox } from '../outbox/index.ts'

export type UnfinishedOptions = {
  readonly history: Pick<History, 'unfinished'>
  readonly connection: Pick<Connection, 'view'>
  readonly downloads: Pick<Downloads, 'isBegun'>
  /** Whether this process is the one that sends. */
  readonly claim: () => boolean
}

/** Jobs of the service in use that were not over when they were last seen. */
export function unfinishedJobs({
  history,
  connection,
  downloads,
  claim,
}: UnfinishedOptions): readonly Followed[] {
  const { kind, baseUrl } = connection.view()
  // Each process has a built-in service of its own, which knows nothing of another one's jobs.
  if (kind === 'builtIn' && !claim()) return []
  return history
    .unfinished()
    .filter((job) => (job.connection === 'builtIn' ? kind === 'builtIn' : job.baseUrl === baseUrl))
    .filter((job) => !downloads.isBegun(job.title.id))
    .map(({ title, jobId, jobCreatedAt, acceptedAt, skipped, unconfirmed }) => ({
      title,
      jobId,
      skipped,
      unconfirmed,
      ...(jobCreatedAt === null ? {} : { createdAt: jobCreatedAt }),
      ...(acceptedAt === null ? {} : { acceptedAt }),
    }))
}

/**
 * Whether a job that nobody follows may be what came of a submission whose answer is awaited, or in doubt.
 *
 * @param since ms since 1970: what another process had accepted before is in the history as unfinished
 */
export const awaitedIn =
  (outbox: Pick<Outbox, 'unresolved'>, history: Pick<History, 'hasJobSince'>, since: number) =>
  (job: Job): boolean => {
    if (history.hasJobSince(job.jobId, since)) return true
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

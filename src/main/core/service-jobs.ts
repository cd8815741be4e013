/** Which jobs of the service in use are ours: those that are not over, and those that no other submission may take. */
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
    .map(({ title, jobId, acceptedAt, skipped }) => ({
      title,
      jobId,
      skipped,
      ...(acceptedAt === null ? {} : { acceptedAt }),
    }))
}

/**
 * Whether a job that nobody follows may be what came of a submission whose answer is awaited, or in doubt.
 *
 * @param since ms since 1970: what another process had accepted before is in the history as unfinished
 */
export const awaitedIn =
  (outbox: Pick<Outbox, 'list'>, history: Pick<History, 'hasAccepted'>, since: number) =>
  (job: Job): boolean => {
    if (history.hasAccepted(job.jobId, since)) return true
    return outbox.list().some(({ state }) => {
      if (state.kind !== 'unknown') return state.kind === 'sending'
      return !state.leftToUser || state.candidates.some((candidate) => candidate.jobId === job.jobId)
    })
  }

/** Ids of jobs that are known to be submissions of ours, so that no other submission takes one for itself. */
export interface OwnJobs {
  add(jobId: string): void
  ids(): ReadonlySet<string>
}

/** More than a service lists; the oldest go first. */
const KEPT = 1_000

export function createOwnJobs(known: Iterable<string>): OwnJobs {
  const ids = new Set(known)
  return {
    add(jobId) {
      ids.delete(jobId)
      ids.add(jobId)
      const oldest = ids.values().next()
      if (ids.size > KEPT && oldest.done !== true) ids.delete(oldest.value)
    },
    ids: () => ids,
  }
}

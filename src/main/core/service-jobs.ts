/** Finds the jobs of the current service that belong to us: unfinished ones, and those that may match a pending submission. */
import type { ServiceJob } from '../../shared/api/resources.ts'
import type { NewlyTracked } from '../jobs/index.ts'
import type { Submission } from '../outbox/index.ts'
import type { Modules } from './modules.ts'

/**
 * Returns jobs of the service in use that were unfinished when last seen, except those whose results are being downloaded.
 * @param left IDs of the jobs that a built-in service runs for an earlier owner
 */
export function unfinishedJobs(
  modules: Pick<Modules, 'history' | 'connection' | 'downloads' | 'aliases'>,
  left: ReadonlySet<string> = new Set(),
): readonly NewlyTracked[] {
  const { history, connection, downloads, aliases } = modules
  const { kind, baseUrl } = connection.view()
  return history
    .unfinished()
    .filter((job) =>
      kind === 'builtIn' ? left.has(job.jobId) : job.connection !== 'builtIn' && job.baseUrl === baseUrl,
    )
    .filter((job) => !downloads.isBegun(job.title.id))
    .map(({ baseUrl: _baseUrl, connection: _connection, ...job }) => ({
      ...job,
      names: aliases.namesOf(job.title.id),
    }))
}

/**
 * Returns submissions that were being sent to a built-in service when it or its owner ended.
 * @param began ms since 1970; leaves out submissions that were sent later
 */
export const unconfirmed = (outbox: Modules['outbox'], began: number): readonly Submission[] =>
  outbox
    .unresolved()
    .filter(
      ({ state }) =>
        (state.kind === 'sending' || (state.kind === 'unknown' && !state.leftToUser)) &&
        state.attempt.connection === 'builtIn' &&
        state.attempt.at <= began,
    )

/**
 * Creates a function that checks whether an untracked job may be ours: the history has it, or it may belong to a submission whose response
 * is pending or was lost.
 * @param since ms since 1970; jobs that were submitted earlier are in the history as unfinished
 */
export const awaitedIn =
  ({ outbox, history }: Pick<Modules, 'outbox' | 'history'>, since: number) =>
  (job: ServiceJob): boolean => {
    if (history.hasJob(job.jobId, since)) return true
    return outbox.unresolved().some(({ state }) => {
      if (state.kind !== 'sending' && state.kind !== 'unknown') return false
      if (state.kind === 'unknown' && state.leftToUser) return state.candidates.some(isSame(job))
      return !state.attempt.known.some(isSame(job))
    })
  }

const isSame =
  (job: ServiceJob) =>
  ({ jobId, createdAt }: { readonly jobId: string; readonly createdAt: string }): boolean =>
    jobId === job.jobId && createdAt === job.createdAt

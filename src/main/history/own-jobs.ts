/** Distinguishes our jobs at a service from those of other clients. */
import type { ServiceJob } from '../../shared/api/resources.ts'
import { isSameServiceTime } from '../../shared/api/service-time.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { HistoryFile } from './history-file.ts'
import type { Tables } from './tables.ts'

export const ownJobs = ({ read }: HistoryFile) => ({
  /** Returns the records of our jobs with this ID, newest first. */
  recordsOf: (jobId: string): readonly RecordId[] =>
    read((tables) => acceptancesOf(tables, jobId).map(({ id }) => id)),
  /** Returns the records of our canceled jobs with this ID and creation time, regardless of their service. */
  cancelledJobs: ({ jobId, createdAt }: Pick<ServiceJob, 'jobId' | 'createdAt'>): readonly RecordId[] =>
    read((tables) =>
      acceptancesOf(tables, jobId).flatMap(({ id, jobCreatedAt: at, outcome }) =>
        outcome?.kind === 'cancelled' && at !== null && isSameServiceTime(at, createdAt) ? [id] : [],
      ),
    ),
  /**
   * Whether a job, identified by its ID and creation time, is ours. `perhaps` if one of our jobs has this ID but was never read, so
   * its creation time is unknown.
   */
  isOwnJob: ({ jobId, createdAt }: Pick<ServiceJob, 'jobId' | 'createdAt'>): boolean | 'perhaps' =>
    read((tables) => {
      const known = acceptancesOf(tables, jobId).map(({ jobCreatedAt }) => jobCreatedAt)
      if (known.some((text) => text !== null && isSameServiceTime(text, createdAt))) return true
      return known.includes(null) ? 'perhaps' : false
    }),
  /**
   * Whether one of our records has a job with this ID, even if the service has forgotten it.
   * @param since if set, the job must have been accepted since this time, in ms since 1970
   */
  hasJob: (jobId: string, since?: number): boolean =>
    read(({ records, details }) =>
      records
        .only('seq')
        .all({ jobId, origin: 'ours' })
        .some(
          ({ seq }) =>
            since === undefined || (details.only('facts').get({ seq })?.facts.acceptedAt ?? -1) >= since,
        ),
    ),
})

/**
 * Returns the acceptances of jobs with this ID, newest first, up to 20. Leaves out jobs that the service forgot before they were first
 * read, because they can't be in its list.
 */
const acceptancesOf = ({ records }: Tables, jobId: string) =>
  records.only('id', 'jobCreatedAt', 'outcome')
    .where`jobId = ${jobId} AND origin = 'ours' AND baseUrl IS NOT NULL ORDER BY seq DESC LIMIT 20`.filter(
    ({ jobCreatedAt, outcome }) => jobCreatedAt !== null || outcome?.kind !== 'forgotten',
  )

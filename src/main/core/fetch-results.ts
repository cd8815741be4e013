/** Results of a service that does not see this computer's files: a job is over only when they are here. */
import { join } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import { problemsOf, resultsOf } from '../../shared/model/outcome.ts'
import type { ActiveJob, JobProgress, RecordDetails, WorkTitle } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import { createDownloads, type Downloads, type Fetched, type FetchingNow } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { EndedJob } from './record-jobs.ts'

export type FetchingOptions = {
  readonly dataDir: string
  readonly history: Pick<History, 'toFetch'>
  readonly connection: Connection
  readonly timing: Timing
  /** Whether this process is the one that sends and fetches. */
  readonly claim: () => boolean
  /** Writes the end of the record down before it returns. */
  readonly onFetched: (results: Fetched) => void
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function openDownloads({
  dataDir,
  history,
  connection,
  timing,
  ...callbacks
}: FetchingOptions): Downloads {
  const downloads = createDownloads({
    file: join(dataDir, 'downloads.db'),
    service() {
      const api = connection.api()
      return api === undefined ? undefined : { api, identity: serviceIdOf(connection.view()) }
    },
    timing,
    onTrouble: (error, from) => connection.noteError(error, from),
    ...callbacks,
  })
  // What a damaged file has kept from being expected follows from the acceptances, which the history knows.
  for (const { id, output } of history.toFetch()) {
    if (!downloads.isExpected(id)) downloads.expect(id, output)
  }
  return downloads
}

/**
 * Begins to fetch what a job has made, where that is wanted. Only a completed job's outputs can be downloaded (section 4).
 *
 * @returns whether the job is over only when its results are here
 */
export const fetchesResultsOf =
  (downloads: Downloads, history: History, connection: Connection) =>
  ({ id, jobId, job, outcome, endedAt }: EndedJob): boolean => {
    if (!downloads.isExpected(id)) return false
    if (downloads.isBegun(id)) return true
    const results = job === null ? [] : resultsOf(job)
    if (job === null || results.length === 0 || (outcome.kind !== 'done' && outcome.kind !== 'problems')) {
      downloads.forget(id)
      return false
    }
    downloads.begin({
      id,
      jobId,
      jobCreatedAt: job.createdAt,
      service: serviceIdOf(connection.view()),
      outcome,
      endedAt,
      results: results.map((result, index) => ({ ...result, index })),
      problems: problemsOf(job, history.details(id)?.skipped ?? []),
    })
    return true
  }

/** A phase like those that a service names; the list, the tray and the commands show it in its place. */
const PHASE = 'Fetching results'

/** Results on their way here, as jobs that are not over: a job is done when its files can be opened. */
export function fetchingJobs(fetching: readonly FetchingNow[], history: History): readonly ActiveJob[] {
  return fetching.flatMap((one) => {
    const record = history.details(one.id)
    return record === undefined ? [] : [jobOf(record, one)]
  })
}

function jobOf(record: RecordDetails, { jobId, done, total, share }: FetchingNow): ActiveJob {
  const progress: JobProgress = {
    share: total === 0 ? null : Math.min(1, (done.length + share) / total),
    phase: PHASE,
    currentFile: Math.min(total, done.length + 1),
    totalFiles: total,
    completedFiles: done.length,
    fileName: null,
    timeLeft: null,
  }
  return {
    ...titleOf(record),
    jobId,
    stage: { kind: 'processing' },
    progress,
    startedAt: record.facts.startedAt,
    doneFiles: done,
  }
}

const titleOf = ({
  id,
  name,
  firstPath,
  photos,
  videos,
  files,
  preset,
  variations,
  output,
  driveInput,
  origin,
  createdAt,
}: RecordDetails): WorkTitle => ({
  id,
  name,
  firstPath,
  photos,
  videos,
  files,
  preset,
  variations,
  output,
  driveInput,
  origin,
  createdAt,
})

/**
 * Downloads the results of a service that can't write to this computer. A job at such a service is done only when its results have arrived.
 */
import { serviceIdOf } from '../../shared/model/connection.ts'
import { problemsOf, resultsOf } from '../../shared/model/outcome.ts'
import type { Outcome, PartAt, PartDetails } from '../../shared/model/job.ts'
import { createDownloads, type Downloads, type Fetched, type Orders } from '../downloads/index.ts'
import { titleOf, type History } from '../history/index.ts'
import type { JobEvent } from '../jobs/index.ts'
import type { Modules } from './modules.ts'

/** @param onFetched must write the record's end before it returns */
export function openDownloads(
  orders: Orders,
  {
    history,
    connection,
    events,
    ...modules
  }: Pick<Modules, 'history' | 'connection' | 'events' | 'timing' | 'log'>,
  onFetched: (results: Fetched) => void,
): Downloads {
  const downloads = createDownloads({
    ...modules,
    orders,
    service() {
      const api = connection.api()
      return api === undefined ? undefined : { api, identity: serviceIdOf(connection.view()) }
    },
    onFetched,
    onTrouble: (error, from) => connection.noteError(error, from),
    onChange: events.tell('fetchingChanged'),
  })
  // Rebuild the expected downloads from the history in case their database was damaged.
  for (const { id, output } of history.toFetch()) {
    if (!downloads.isExpected(id)) downloads.expect(id, output)
  }
  return downloads
}

/**
 * Starts downloading a job's results if they were requested. Only outputs of completed jobs can be downloaded (section 4).
 * @param endedAt ms since 1970
 * @returns whether the job ends only when its results have arrived
 */
export function fetchesResults(
  { downloads, history, connection }: Pick<Modules, 'downloads' | 'history' | 'connection'>,
  { id, jobId, job }: Extract<JobEvent, { readonly kind: 'moved' }>,
  outcome: Outcome,
  endedAt: number,
): boolean {
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
    results,
    problems: problemsOf(job, history.details(id)?.skipped ?? []),
  })
  return true
}

/** Shown as the phase of a job while its results are being downloaded. Its text has the key `fetchingResults`. */
const PHASE = 'Fetching results'

/** Returns the downloads in progress as unfinished jobs, because a job is done only when its files can be opened. */
export function fetchingJobs(
  fetching: ReturnType<Downloads['active']>,
  history: History,
): readonly PartAt<'service'>[] {
  return fetching.flatMap((one) => {
    const record = history.details(one.id)
    return record === undefined ? [] : [jobOf(record, one)]
  })
}

function jobOf(
  record: PartDetails,
  { jobId, done, total, share }: ReturnType<Downloads['active']>[number],
): PartAt<'service'> {
  const progress: PartAt<'service'>['progress'] = {
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
    at: 'service',
    jobId,
    stage: { kind: 'processing' },
    progress,
    startedAt: record.facts.startedAt,
    doneFiles: done,
    problems: [],
  }
}

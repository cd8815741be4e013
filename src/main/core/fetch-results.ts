/** Results of a service that does not see this computer's files: a job is over only when they are here. */
import { join } from 'node:path'
import { problemsOf, resultsOf } from '../../shared/model/outcome.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import { createDownloads, type Downloads, type Fetched } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { EndedJob } from './record-jobs.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'

export type FetchingOptions = {
  readonly dataDir: string
  readonly history: History
  readonly connection: Connection
  readonly timing: Timing
  /** Whether this process is the one that sends and fetches. */
  readonly claim: () => boolean
  readonly onChange: () => void
  /** `again`: the record was over already, and something that was missing has come. */
  readonly onOver: (id: RecordId, again: boolean) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function openDownloads(options: FetchingOptions): Downloads {
  const { history, connection, timing } = options

  function fetched({ id, outcome, endedAt, results, problems, again }: Fetched): void {
    history.recordResults(id, results, problems)
    history.recordOutcome(id, outcome, endedAt)
    options.onOver(id, again)
  }

  return createDownloads({
    file: join(options.dataDir, 'downloads.db'),
    service() {
      const api = connection.api()
      return api === undefined ? undefined : { api, identity: serviceIdOf(connection.view()) }
    },
    claim: options.claim,
    timing,
    onFetched: fetched,
    onTrouble: (error) => connection.noteError(error),
    onChange: options.onChange,
    log: options.log,
  })
}

/**
 * Begins to fetch what a job has made, where that is wanted. Only a completed job's outputs can be downloaded (section 4).
 *
 * @returns whether the job is over only when its results are here
 */
export function beginFetching(
  { id, jobId, job, outcome, endedAt }: EndedJob,
  { downloads, history, service }: { downloads: Downloads; history: History; service: string },
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
    service,
    outcome,
    endedAt,
    results: results.map((result, index) => ({ ...result, index })),
    problems: problemsOf(job, history.details(id)?.skipped ?? []),
  })
  return true
}

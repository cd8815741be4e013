import type { HistoryQuery } from '../../../shared/model/history-page.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { describeJob, type ReadJob } from './read-job.ts'
import { visibleJobs } from './show-job.ts'

/** Number of jobs to read at a time, and the maximum to read in search of jobs that the assistant may see. */
const PAGE = 200
const MOST_READ = 2_000

/**
 * Lists jobs that the assistant may see. The limit counts only these jobs. Otherwise, the length of the list would reveal whether a search
 * finds a hidden job.
 */
export function listHistory(
  session: AssistantSession,
  {
    search,
    outcome,
    mine,
    limit,
  }: {
    readonly search?: string | undefined
    readonly outcome?: NonNullable<HistoryQuery['outcomes']>[number] | undefined
    readonly mine: boolean
    readonly limit: number
  },
): Data {
  session.access.settings()
  const query: HistoryQuery = {
    ...(search === undefined ? {} : { text: search }),
    ...(outcome === undefined ? {} : { outcomes: [outcome] }),
    ...(mine ? { by: 'assistant' } : {}),
  }
  const found: ReadJob[] = []
  for (let offset = 0; offset < MOST_READ && found.length < limit; offset += PAGE) {
    const { records } = session.context.line.history.page(query, { offset, limit: PAGE, unfinished: true })
    found.push(
      ...visibleJobs(
        session,
        records.map(({ id }) => id),
      ),
    )
    if (records.length < PAGE) break
  }
  const jobs = found.slice(0, limit).map((state) => {
    const { resultFiles: _files, moreResultFiles: _more, ...job } = describeJob(state)
    return job
  })
  return { jobs }
}

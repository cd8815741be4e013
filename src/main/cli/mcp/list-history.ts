/** Lists earlier and current jobs. */
import type { HistoryQuery } from '../../../shared/model/work.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { jobState } from './job-state.ts'
import { isShown, showJob } from './show-job.ts'

export type HistoryArguments = {
  readonly search?: string | undefined
  readonly outcome?: NonNullable<HistoryQuery['outcomes']>[number] | undefined
  readonly mine: boolean
  readonly limit: number
}

export function listHistory(
  { core, access }: AssistantSession,
  { search, outcome, mine, limit }: HistoryArguments,
): Data {
  access.settings()
  const query: HistoryQuery = {
    ...(search === undefined ? {} : { text: search }),
    ...(outcome === undefined ? {} : { outcomes: [outcome] }),
    ...(mine ? { by: 'assistant' } : {}),
  }
  const { records, total } = core.history.page(query, { offset: 0, limit, unfinished: true })
  const states = records.map(({ id }) => jobState(core, id))
  // Finding a hidden job, or counting it, would reveal its content.
  const listed = search === undefined ? states : states.filter((state) => isShown(access, state))
  const jobs = listed.map((state) => {
    const { resultFiles: _files, moreResultFiles: _more, ...job } = showJob(access, state)
    return job
  })
  return search === undefined ? { jobs, total } : { jobs }
}

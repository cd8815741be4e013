/** Lists earlier and current jobs. */
import type { HistoryQuery } from '../../../shared/model/work.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { describeJob, jobState } from './job-state.ts'

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
  const jobs = records.map(({ id }) => {
    const { resultFiles: _files, moreResultFiles: _more, ...job } = describeJob(jobState(core, id))
    return job
  })
  return { jobs, total }
}

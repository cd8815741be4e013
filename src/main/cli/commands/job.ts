import { outcomeOf } from '../../../shared/model/outcome.ts'
import type { Verb } from '../context.ts'
import { ask } from './ask.ts'

export const job: Verb<{ readonly jobId: string }> = (context, { jobId }) =>
  ask(
    context,
    (api) => api.job(jobId, { signal: context.surroundings.interrupted }),
    (job) => [{ event: 'job', job, outcome: outcomeOf(job) }],
  )

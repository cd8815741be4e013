import { outcomeOf } from '../../../shared/model/outcome.ts'
import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

export const job: Verb<{ readonly jobId: string }> = async (context, { jobId }) =>
  tell(context, await context.service.api.job(jobId, { signal: context.surroundings.interrupted }), (job) => [
    { event: 'job', job, outcome: outcomeOf(job) },
  ])

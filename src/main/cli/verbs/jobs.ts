import { outcomeOf } from '../../../shared/model/outcome.ts'
import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

/** The 50 most recent jobs, and the queue. */
export const jobs: Verb = async (context) =>
  tell(context, await context.service.api.jobs({ signal: context.surroundings.interrupted }), (list) => [
    ...list.jobs.map((job) => ({ event: 'job' as const, job, outcome: outcomeOf(job) })),
    { event: 'queue', queueLength: list.queueLength, processing: list.processing, listed: list.jobs.length },
  ])

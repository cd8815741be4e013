import type { PartDetails } from '../../shared/model/job.ts'
import { type DurableState, uncertain } from '../outbox/index.ts'

/** Returns the state of a submission whose response was lost: the user must send it again or remove it. */
export function unconfirmedState({ facts }: PartDetails, at: number): DurableState {
  const service = { service: 'builtIn', connection: 'builtIn', baseUrl: facts.baseUrl ?? '' } as const
  const attempt = { at, ...service, known: [], uploaded: null }
  return { ...uncertain(attempt, { cause: 'crash', message: '' }), leftToUser: true }
}

import type { PartDetails } from '../../shared/model/job.ts'
import type { DurableState } from '../outbox/index.ts'

/** Returns the state of a submission whose response was lost: the user sends it again or removes it. */
export const unconfirmedState = ({ facts }: PartDetails, at: number): DurableState => ({
  kind: 'unknown',
  attempt: {
    at,
    service: 'builtIn',
    baseUrl: facts.baseUrl ?? '',
    connection: 'builtIn',
    known: [],
    uploaded: null,
  },
  uncertainty: { cause: 'crash', message: '' },
  leftToUser: true,
  candidates: [],
})

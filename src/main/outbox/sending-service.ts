import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { ServiceApi } from '../service-api/index.ts'
import type { Addressee, ListedSubmission } from './submission-rows.ts'

/** The service that may be sent to now. */
export type SendingService = {
  readonly api: Pick<ServiceApi, 'createJob' | 'jobs' | 'upload'>
  readonly kind: ConnectionKind
  readonly baseUrl: string
  readonly seesFiles: boolean
  /** False: takes only submissions that are meant for this service by name. */
  readonly takesUnaddressed?: boolean
}

/** The built-in service is the same one on whatever port it comes back. */
export const identityOf = ({ kind, baseUrl }: SendingService): string => (kind === 'builtIn' ? kind : baseUrl)

export const addresseeOf = (service: SendingService): Addressee => ({
  service: identityOf(service),
  unaddressed: service.takesUnaddressed !== false,
})

export const isSameService = (one: SendingService, other: SendingService | undefined): boolean =>
  other !== undefined && identityOf(one) === identityOf(other)

/** Where an attempt was made already, only the service that was asked can tell what came of it. */
export function isFor(service: SendingService, { target, state }: ListedSubmission): boolean {
  if (state.kind === 'sending' || state.kind === 'unknown') {
    return state.attempt.service === identityOf(service)
  }
  const { service: identity, unaddressed } = addresseeOf(service)
  return target === undefined ? unaddressed : target === identity
}

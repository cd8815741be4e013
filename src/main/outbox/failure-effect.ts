import type { ServiceError } from '../../shared/service-error.ts'
import { failure, type Failure, type Reason } from '../../shared/failure/failure.ts'
import type { Uncertainty, Refusal } from './submission-state.ts'

/** The effect of a failed `POST /jobs` on the submission (rule 1; section 7). */
export type FailureEffect =
  /** No job was created. The submission waits and is retried automatically. */
  | { readonly kind: 'wait'; readonly because: 'offline' | 'queueFull' | 'keyRefused' | 'interrupted' }
  /** No job was created, and retrying is pointless. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A job may have been created. */
  | { readonly kind: 'unknown'; readonly uncertainty: Uncertainty }

/**
 * Returns the reason for a refusal if it may disappear without the user: the output's disk is disconnected, full or read-only, the cloud
 * drive isn't connected or doesn't respond, the preset was deleted and may be restored, or the service itself failed. Other services
 * describe this only in their own words.
 */
export function passingTrouble({ why, message, failure: known }: Refusal): Failure | undefined {
  switch (known?.code) {
    case 'diskRemoved':
    case 'cloudDriveSilent':
    case 'cloudDriveNotConnected':
    case 'presetUnknown':
      return known
    case 'outputUnusable':
      return LASTING.has(known.values.reason.code) ? undefined : known
    default:
      return FINAL.has(why) ? undefined : (known ?? failure('serviceReported', { detail: message }))
  }
}

/** Refusals because of the submission itself. */
const FINAL: ReadonlySet<Refusal['why']> = new Set(['invalid', 'tooLarge', 'inputsGone'])

/** Problems that only the user can fix. `exists` isn't listed, because a link to a disconnected disk also causes it. */
const LASTING: ReadonlySet<Reason['code']> = new Set(['nameTooLong', 'notAFolder', 'foreignLink'])

export function effectOfFailure(error: ServiceError): FailureEffect {
  const said = { message: error.message, failure: error.failure }
  const unknown = (cause: Uncertainty['cause']): FailureEffect => ({
    kind: 'unknown',
    uncertainty: { cause, ...said },
  })
  const refused = (why: Refusal['why'], skipped: Refusal['skipped'] = []): FailureEffect => ({
    kind: 'refused',
    refusal: { ...said, why, skipped },
  })
  switch (error.kind) {
    case 'notReachable':
      return { kind: 'wait', because: 'offline' }
    case 'queueFull':
      return { kind: 'wait', because: 'queueFull' }
    case 'unauthorized':
      return { kind: 'wait', because: 'keyRefused' }
    case 'noAnswer':
      return unknown(error.reason === 'timeout' ? 'timeout' : 'broken')
    case 'serverError':
    case 'badResponse':
      return unknown(error.kind)
    case 'aborted':
      return error.maybeReceived ? unknown('broken') : { kind: 'wait', because: 'interrupted' }
    case 'driveNotReady':
      return refused('drive')
    case 'refused':
      return refused(whyOf(error.status), [...error.skipped])
    case 'localFile':
      return refused('inputsGone')
    case 'notFound':
    case 'conflict':
      // Section 7 defines neither of these statuses for this route. A service that returns one of them hasn't created a job.
      return refused('service')
  }
}

/**
 * Maps a status to the reason for the refusal. 400, 413, 415 and 422 are about the request. The API doesn't define other statuses for this
 * route, so they say nothing about the request.
 * @param status absent if the app refused the submission before sending anything
 */
function whyOf(status: number | undefined): Refusal['why'] {
  if (status === 413) return 'tooLarge'
  return status === undefined || [400, 415, 422].includes(status) ? 'invalid' : 'service'
}

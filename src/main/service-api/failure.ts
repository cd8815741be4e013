/** Translates failed exchanges into errors for the caller. */
import {
  failure,
  reason,
  type Failure,
  type PlainReasonCode,
  type Reason,
} from '../../shared/failure/failure.ts'
import { because, type ServiceError } from '../../shared/service-error.ts'
import { codeOf } from '../../node/errors.ts'
import { otherResources, type ApiError } from '../../shared/api/resources.ts'
import type { Deadline } from './exchange.ts'

/** Describes an exchange that failed before or during the response. */
export function brokenExchange(
  { sent, cause }: { readonly sent: boolean; readonly cause: unknown },
  deadline: Deadline,
): ServiceError {
  const reason = deadline.ended() === 'timeout' ? 'timeout' : reasonOf(cause)

  if (deadline.ended() === 'aborted') {
    return { kind: 'aborted', maybeReceived: sent, ...because(failure('stopped')) }
  }
  const why = { reason: connectionReason(reason) }
  return sent
    ? { kind: 'noAnswer', reason, ...because(failure('serviceSilent', why)) }
    : { kind: 'notReachable', reason, ...because(failure('serviceUnreachable', why)) }
}

/** Returns the error's code or name. If an error without a code wraps one error per address that was tried, the first of these counts. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  if (cause instanceof AggregateError && cause.errors.length > 0 && codeOf(cause) === '')
    return reasonOf(cause.errors[0])
  return codeOf(cause) || cause.name
}

const REASONS: Readonly<Record<string, PlainReasonCode>> = {
  timeout: 'timeout',
  ECONNREFUSED: 'nothingListening',
  ENOTFOUND: 'hostUnknown',
  EAI_AGAIN: 'hostNotLookedUp',
  EHOSTUNREACH: 'hostUnreachable',
  ENETUNREACH: 'networkMissing',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
  ECONNRESET: 'connectionBroken',
  EPIPE: 'connectionBroken',
  UND_ERR_SOCKET: 'connectionClosed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answerCutShort',
  UND_ERR_CLOSED: 'clientClosed',
  UND_ERR_DESTROYED: 'clientClosed',
}

function connectionReason(code: string): Reason {
  const known = REASONS[code]
  return known === undefined ? reason('systemError', { code }) : reason(known)
}

/** The routes of section 4, as error messages name them. */
export type Route =
  | 'GET /health'
  | 'GET /presets'
  | 'GET /drive/status'
  | 'POST /upload'
  | 'POST /jobs'
  | 'GET /jobs'
  | 'DELETE /jobs'
  | 'GET /jobs/{jobId}'
  | 'DELETE /jobs/{jobId}'
  | 'GET /download/{jobId}'

/** Routes on which a 400 refers to the job's state. On other routes it refers to the request (section 7). */
export const ABOUT_JOB_STATE: ReadonlySet<Route> = new Set(['DELETE /jobs/{jobId}', 'GET /download/{jobId}'])

/**
 * Translates a non-success response (section 7). Prefers the message in the body, if there is one.
 *
 * @param body as parsed; undefined if it isn't JSON
 * @param schema validates the service's error body
 */
export function refusal(
  route: Route,
  status: number,
  body: unknown,
  schema: typeof ApiError = otherResources().ApiError,
): ServiceError {
  const sent = schema.safeParse(body).data
  const why = (ours: Failure) =>
    sent?.error ? { message: sent.error, failure: sent.failure } : because(ours)

  if (status >= 500) {
    return { kind: 'serverError', status, ...why(failure('serviceInternal', { status })) }
  }
  if (status < 400) {
    const unknown = failure('serviceStatusUnknown', { route, status })
    return { kind: 'badResponse', route, field: 'status', ...because(unknown) }
  }
  switch (status) {
    case 401:
      return { kind: 'unauthorized', reason: 'rejected', ...why(failure('keyRejected')) }
    case 404:
      return { kind: 'notFound', ...why(failure('notKnownToService')) }
    case 412:
      return { kind: 'driveNotReady', ...why(failure('driveNotConnected')) }
    case 429:
      return { kind: 'queueFull', ...why(failure('serviceQueueFull')) }
    default:
      if (status === 409 || (status === 400 && ABOUT_JOB_STATE.has(route))) {
        return { kind: 'conflict', ...why(failure('jobInWrongState')) }
      }
      return {
        kind: 'refused',
        status,
        skipped: sent?.skipped ?? [],
        ...why(failure('serviceRefused', { status })),
      }
  }
}

/** What a failed exchange means to the caller. */
import type { ServiceError } from '../../shared/service-error.ts'
import { codeOf } from '../../node/errors.ts'
import { ApiError } from '../../shared/api/resources.ts'
import type { Deadline } from './exchange.ts'

/** The exchange broke before there was an answer, or in the middle of one. */
export function brokenExchange(failure: { sent: boolean; cause: unknown }, deadline: Deadline): ServiceError {
  const { sent } = failure
  const reason = deadline.ended() === 'timeout' ? 'timeout' : reasonOf(failure.cause)

  if (deadline.ended() === 'aborted') {
    return { kind: 'aborted', maybeReceived: sent, message: 'Stopped.' }
  }
  if (!sent) {
    return { kind: 'notReachable', reason, message: `The service can’t be reached: ${inWords(reason)}.` }
  }
  return {
    kind: 'noAnswer',
    reason,
    message: `The service did not answer: ${inWords(reason)}. It may have received the request.`,
  }
}

/** The deepest code there is: a connection that tried several addresses wraps one error for each. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  if (cause instanceof AggregateError && cause.errors.length > 0 && codeOf(cause) === '')
    return reasonOf(cause.errors[0])
  return codeOf(cause) || cause.name
}

const WORDS: Readonly<Record<string, string>> = {
  timeout: 'it took too long',
  ECONNREFUSED: 'nothing is listening at that address',
  ENOTFOUND: 'there is no computer of that name',
  EAI_AGAIN: 'the name of the computer could not be looked up',
  EHOSTUNREACH: 'there is no way to that computer',
  ENETUNREACH: 'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  ECONNRESET: 'the connection was broken off',
  EPIPE: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_CLOSED: 'this connection has been closed here',
  UND_ERR_DESTROYED: 'this connection has been closed here',
}

const inWords = (reason: string): string => WORDS[reason] ?? reason

/** The routes of section 4, in the words in which errors name them. */
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

/** Section 7: on these a 400 speaks of the state of the job, on the others of the request. */
export const ABOUT_JOB_STATE: ReadonlySet<Route> = new Set(['DELETE /jobs/{jobId}', 'GET /download/{jobId}'])

/** What an answer other than a success means (section 7). The body is taken for what it says, if it says anything. */
export function refusal(route: Route, status: number, body: string): ServiceError {
  const said = readError(body)
  const message = (ours: string) => (said?.error ? said.error : ours)

  if (status >= 500) {
    return { kind: 'serverError', status, message: message(`The service had an internal error (${status}).`) }
  }
  if (status < 400) {
    return {
      kind: 'badResponse',
      route,
      field: 'status',
      message: `${route} was answered with status ${status}, which the API does not have.`,
    }
  }
  switch (status) {
    case 401:
      return {
        kind: 'unauthorized',
        reason: 'rejected',
        message: message('The service does not accept this API key.'),
      }
    case 404:
      return { kind: 'notFound', message: message('The service does not know this.') }
    case 412:
      return { kind: 'driveNotReady', message: message('No cloud drive is connected to the service.') }
    case 429:
      return { kind: 'queueFull', message: message('Ten jobs are already waiting.') }
    default:
      if (status === 409 || (status === 400 && ABOUT_JOB_STATE.has(route))) {
        return { kind: 'conflict', message: message('The job is not in a state for this.') }
      }
      return {
        kind: 'refused',
        status,
        skipped: said?.skipped ?? [],
        message: message(`The service refused the request (${status}).`),
      }
  }
}

function readError(body: string): ApiError | undefined {
  const json = parseJson(body)
  if (!json.ok) return undefined
  const error = ApiError.safeParse(json.value)
  return error.success ? error.data : undefined
}

/** `JSON.parse` without the exception. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}

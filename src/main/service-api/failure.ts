/** What a failed exchange means to the caller. */
import type { ServiceError } from '../../shared/service-error.ts'
import type { Deadline } from './exchange.ts'
import { codeOf } from '../../node/errors.ts'

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

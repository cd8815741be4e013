import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../../shared/api/resources.ts'
import { Refusal } from '../queue/index.ts'
import type { Denial } from './guard.ts'

export type ErrorAnswer = { readonly status: number; readonly body: ApiError }

/** An address that can't be decoded, or a part of it longer than anything here. */
const NO_ROUTE_CODES: ReadonlySet<string> = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'])

/**
 * The Error body (section 7) for anything that was thrown. What the framework calls 405, 413 or 415 is an invalid
 * request in the words of the API: 400. The text of an unexpected error stays in the log.
 */
export function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof Refusal) {
    const skipped = error.skipped ? { skipped: [...error.skipped] } : {}
    return { status: error.status, body: { error: error.message, ...skipped } }
  }
  const code = textOf(error, 'code')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid('The body is larger than 64 KiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return invalid('The content type is not the one of this route')
  if (NO_ROUTE_CODES.has(code)) return { status: 404, body: { error: 'There is no such route' } }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return invalid('The request is not valid')
  return { status: 500, body: { error: 'The service failed on this request because of an internal error' } }
}

export const answerToDenial = ({ status, message }: Denial): ErrorAnswer => ({
  status,
  body: { error: message },
})

const invalid = (message: string): ErrorAnswer => ({ status: 400, body: { error: message } })

/** Answers what never became a request: broken HTTP, headers too large or too slow. Written by hand for that reason. */
export function answerBrokenRequest(error: Error, socket: Socket): void {
  const code = textOf(error, 'code')
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statusOfBroken(code)
  const body = JSON.stringify({ error: messageOfBroken(status) } satisfies ApiError)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function statusOfBroken(code: string): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return 400
}

function messageOfBroken(status: number): string {
  if (status === 431) return 'The headers are too large'
  if (status === 408) return 'The request did not arrive in time'
  return 'This is not a valid HTTP request'
}

const textOf = (value: unknown, key: 'code'): string =>
  value instanceof Error && key in value ? String(Reflect.get(value, key)) : ''

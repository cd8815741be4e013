import type { ApiError } from '../../shared/api/resources.ts'
import { HttpError } from '../queue/index.ts'
import type { Denial } from './guard.ts'
import { codeOf } from '../../node/errors.ts'

export type ErrorAnswer = { readonly status: number; readonly body: ApiError }

/** An address that can't be decoded, or a part of it longer than anything here. */
const NO_ROUTE_CODES: ReadonlySet<string> = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'])

/**
 * The Error body (section 7) for anything that was thrown. What the framework calls 405, 413 or 415 is an invalid
 * request in the words of the API: 400. The text of an unexpected error stays in the log.
 */
export function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) {
    const skipped = error.skipped ? { skipped: [...error.skipped] } : {}
    return { status: error.status, body: { error: error.message, ...skipped } }
  }
  const code = codeOf(error)
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

import { failure } from '../../shared/failure/failure.ts'
import type { ApiError } from '../../shared/api/resources.ts'
import { reported } from '../../shared/api/reported.ts'
import { HttpError } from '../queue/index.ts'
import type { Denial } from './guard.ts'
import { codeOf } from '../../node/errors.ts'

export type ErrorAnswer = { readonly status: number; readonly body: ApiError }

/** A URL that can't be decoded, or has a segment that is too long for any route. */
const NO_ROUTE_CODES: ReadonlySet<string> = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'])

/**
 * Turns any thrown value into an Error body (section 7). The API has no 405, 413 or 415, so these framework errors become
 * 400. Details of unexpected errors go only to the log.
 */
export function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) {
    const skipped = error.skipped ? { skipped: [...error.skipped] } : {}
    return { status: error.status, body: { ...reported(error.failure), ...skipped } }
  }
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid('bodyTooLarge')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalid('bodyTypeWrong')
  if (NO_ROUTE_CODES.has(code)) return { status: 404, body: reported(failure('routeUnknown')) }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return invalid('requestMalformed')
  return { status: 500, body: reported(failure('requestInternal')) }
}

export const answerToDenial = ({ status, code }: Denial): ErrorAnswer => ({
  status,
  body: reported(failure(code)),
})

const invalid = (code: 'bodyTooLarge' | 'bodyTypeWrong' | 'requestMalformed'): ErrorAnswer => ({
  status: 400,
  body: reported(failure(code)),
})

import type * as z from 'zod'
import type { ApiError } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange, parseJson, refusal, type Route } from './failure.ts'

/** Maximum size of a response: far more than 50 jobs with thousands of files each need, and low enough to be harmless. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** Maximum size of an error response: enough for any error message. */
const MAX_ERROR_BYTES = 256 * 1024

/** Reads the error of a non-success response. */
export async function readRefusal(
  route: Route,
  answer: Answer,
  deadline: Deadline,
  schema: typeof ApiError,
): Promise<ServiceError> {
  const body = await readBytes(answer, MAX_ERROR_BYTES, deadline)
  // The status is sufficient. A truncated or oversized error body is ignored.
  return refusal(route, answer.statusCode, body.ok ? body.bytes.toString('utf8') : '', schema)
}

/**
 * The last response to a repeated request. Its resource is kept only once the response has repeated, because objects that live longer
 * cost the garbage collector more than parsing them saves if each response differs.
 */
export type LastAnswer<T> = { bytes?: Buffer; resource?: T | undefined }

/** Larger responses aren't kept for comparison. */
const MAX_KEPT_BYTES = 1024 * 1024

/**
 * Reads the resource of a successful response.
 * @param last if the response is the same, byte for byte, returns the same resource without parsing it again
 */
export async function readJson<T>(
  route: Route,
  schema: z.ZodType<T>,
  answer: Answer,
  deadline: Deadline,
  last?: LastAnswer<T>,
): Promise<Result<T>> {
  const body = await readBytes(answer, MAX_ANSWER_BYTES, deadline)
  if (body.ok) {
    const { bytes } = body
    const isSame = last?.bytes?.equals(bytes) === true
    if (isSame && last.resource !== undefined) return succeeded(last.resource)
    const read = readResource(route, schema, bytes.toString('utf8'))
    if (last !== undefined && bytes.length <= MAX_KEPT_BYTES) {
      last.bytes = bytes
      last.resource = isSame && read.ok ? read.value : undefined
    }
    return read
  }
  return failed(
    body.why === 'tooLong'
      ? badResponse(route, 'body', 'it is too long')
      : brokenExchange({ sent: true, cause: body.cause }, deadline),
  )
}

/** Parses the resource, or returns an error that names the route and the invalid field. */
function readResource<T>(route: Route, schema: z.ZodType<T>, body: string): Result<T> {
  const json = parseJson(body)
  if (!json.ok) return failed(badResponse(route, 'body', 'it is not valid JSON'))

  const resource = schema.safeParse(json.value)
  if (resource.success) return succeeded(resource.data)

  const issue = resource.error.issues[0]
  const field = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.')
  return failed(badResponse(route, field, issue?.message ?? 'it has the wrong format'))
}

export const badResponse = (route: Route, field: string, detail: string) => ({
  kind: 'badResponse' as const,
  route,
  field,
  ...because(failure('serviceResponseInvalid', { route, field, detail })),
})

type ReadBytes =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly why: 'tooLong' }
  | { readonly ok: false; readonly why: 'broken'; readonly cause: unknown }

/** Reads a body up to `limit` bytes. The server may be any program. */
async function readBytes(answer: Answer, limit: number, deadline: Deadline): Promise<ReadBytes> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer.body) {
      if (!(chunk instanceof Uint8Array)) continue
      length += chunk.byteLength
      if (length > limit) {
        // Returning from the loop destroys the body and its connection.
        return { ok: false, why: 'tooLong' }
      }
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      deadline.touch()
    }
    return { ok: true, bytes: Buffer.concat(chunks, length) }
  } catch (cause) {
    return { ok: false, why: 'broken', cause }
  }
}

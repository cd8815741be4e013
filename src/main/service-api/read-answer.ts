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
  const body = await readText(answer, MAX_ERROR_BYTES, deadline)
  // The status is sufficient. A truncated or oversized error body is ignored.
  return refusal(route, answer.statusCode, body.ok ? body.text : '', schema)
}

/** Reads the resource of a successful response. */
export async function readJson<T>(
  route: Route,
  schema: z.ZodType<T>,
  answer: Answer,
  deadline: Deadline,
): Promise<Result<T>> {
  const body = await readText(answer, MAX_ANSWER_BYTES, deadline)
  if (body.ok) return readResource(route, schema, body.text)
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

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: 'tooLong' }
  | { readonly ok: false; readonly why: 'broken'; readonly cause: unknown }

/** Reads a JSON body as text, up to `limit` bytes. The server may be any program. */
async function readText(answer: Answer, limit: number, deadline: Deadline): Promise<ReadText> {
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
    return { ok: true, text: Buffer.concat(chunks, length).toString('utf8') }
  } catch (cause) {
    return { ok: false, why: 'broken', cause }
  }
}

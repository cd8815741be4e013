import type * as z from 'zod'
import { failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange, parseJson, refusal, type Route } from './failure.ts'

/** Far more than 50 jobs with thousands of files each need, far less than would hurt. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** An error needs no more than this to say what is wrong. */
const MAX_ERROR_BYTES = 256 * 1024

/** What an answer that is no success says. */
export async function readRefusal(route: Route, answer: Answer, deadline: Deadline): Promise<ServiceError> {
  const body = await readText(answer, MAX_ERROR_BYTES, deadline)
  // The status alone says what matters; an error body that is cut off or far too long adds nothing to it.
  return refusal(route, answer.statusCode, body.ok ? body.text : '')
}

/** The resource of a successful answer. */
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
      ? badResponse(route, 'body', 'it is far too long')
      : brokenExchange({ sent: true, cause: body.cause }, deadline),
  )
}

/** The resource in a successful answer, or an error that names the route and the field that is wrong. */
function readResource<T>(route: Route, schema: z.ZodType<T>, body: string): Result<T> {
  const json = parseJson(body)
  if (!json.ok) return failed(badResponse(route, 'body', 'it is not complete JSON'))

  const resource = schema.safeParse(json.value)
  if (resource.success) return succeeded(resource.data)

  const issue = resource.error.issues[0]
  const field = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.')
  return failed(badResponse(route, field, issue?.message ?? 'it does not fit'))
}

export const badResponse = (route: Route, field: string, why: string) => ({
  kind: 'badResponse' as const,
  route,
  field,
  message: `The answer to ${route} is not what the API promises, at “${field}”: ${why}.`,
})

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: 'tooLong' }
  | { readonly ok: false; readonly why: 'broken'; readonly cause: unknown }

/** Reads a JSON body as text, but never more than `limit` bytes of it: what answers may not be what we think it is. */
async function readText(answer: Answer, limit: number, deadline: Deadline): Promise<ReadText> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer.body) {
      if (!(chunk instanceof Uint8Array)) continue
      length += chunk.byteLength
      if (length > limit) {
        // Leaving the loop destroys the body, and with it the connection.
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

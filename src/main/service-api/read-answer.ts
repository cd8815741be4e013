import type * as z from 'zod'
import type { ApiError } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { JsonLimits } from '../../node/json-limits.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange, refusal, type Route } from './failure.ts'
import { parseAnswer, tooLarge } from './parse-answer.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Limits for a resource with a few fields. Far more than any text in them needs. */
const SMALL: JsonLimits = { bytes: 64 * KIB, values: 1_000 }
/**
 * Limits for jobs. A job lists up to two paths for each file and variation, and a folder in a drive may contain 100,000 files. A list of
 * 50 jobs with 2,000 files each is equally large.
 */
const JOBS: JsonLimits = { bytes: 64 * MIB, values: 500_000 }
/** Limits for an accepted job. It lists at most the files that the request names, and a request has at most 64 KiB (section 8). */
const SUBMISSION: JsonLimits = { bytes: 8 * MIB, values: 100_000 }

/**
 * Maximum response size for each route. Any program may be listening at the address, and Mediatray requests its health before the user
 * chooses a service.
 */
const LIMITS: Readonly<Record<Route, JsonLimits>> = {
  'GET /health': SMALL,
  'GET /presets': { bytes: MIB, values: 20_000 },
  'GET /drive/status': SMALL,
  'POST /upload': SMALL,
  'POST /jobs': SUBMISSION,
  'GET /jobs': JOBS,
  'DELETE /jobs': SMALL,
  'GET /jobs/{jobId}': JOBS,
  'DELETE /jobs/{jobId}': SMALL,
  'GET /download/{jobId}': SMALL,
}
/** Limits for an error: enough for any message, and for the files of a refused submission. */
const ERROR: JsonLimits = { bytes: 256 * KIB, values: 20_000 }

export async function readRefusal(
  route: Route,
  answer: Answer,
  deadline: Deadline,
  schema: typeof ApiError,
): Promise<ServiceError> {
  const body = await readBody(answer, ERROR.bytes, deadline)
  // The status is sufficient. A truncated or oversized error body is ignored.
  const json = body.ok ? parseAnswer(body.bytes, ERROR) : undefined
  return refusal(route, answer.statusCode, json?.ok === true ? json.value : undefined, schema)
}

/** Reads the resource of a successful response. If the response is invalid, the error names the route and the invalid field. */
export async function readJson<T>(
  route: Route,
  schema: z.ZodType<T>,
  answer: Answer,
  deadline: Deadline,
  parse = parseAnswer,
): Promise<Result<T>> {
  const limits = LIMITS[route]
  const body = await readBody(answer, limits.bytes, deadline)
  if (!body.ok && body.why === 'broken') {
    return failed(brokenExchange({ sent: true, cause: body.cause }, deadline))
  }
  const json = body.ok ? parse(body.bytes, limits) : tooLarge(body.why)
  if (!json.ok) return failed(badResponse(route, 'body', json.why))

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

/** Reads a body up to `limit` bytes. The server may be any program, and can't prolong the response by sending it slowly. */
async function readBody(answer: Answer, limit: number, deadline: Deadline): Promise<ReadBytes> {
  deadline.limitRest()
  try {
    const bytes = await bytesOf(answer.body, limit)
    return bytes === undefined ? { ok: false, why: 'tooLong' } : { ok: true, bytes }
  } catch (cause) {
    return { ok: false, why: 'broken', cause }
  }
}

/**
 * Reads a stream into one buffer. Needs little more memory than the bytes themselves, even if each part is a single byte.
 * @returns undefined if there are more bytes than `limit`
 */
export async function bytesOf(body: AsyncIterable<unknown>, limit: number): Promise<Buffer | undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  let length = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue
    const end = length + chunk.byteLength
    // Leaving the loop destroys the body and its connection.
    if (end > limit) return undefined
    if (length === 0) {
      // Most responses are a single chunk, which doesn't have to be copied.
      bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    } else {
      if (end > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(end, bytes.length * 2)))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      bytes.set(chunk, length)
    }
    length = end
  }
  return bytes.subarray(0, length)
}

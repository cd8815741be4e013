import type * as z from 'zod'
import type { ApiError } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { jsonExcess, type JsonExcess, type JsonLimits } from '../../node/json-limits.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange, parseJson, refusal, type Route } from './failure.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** For a few fields: far more than any text in them needs. */
const SMALL: JsonLimits = { bytes: 64 * KIB, values: 1_000 }
/**
 * For jobs. A job lists up to two paths for each file and variation, and a folder in a drive may hold 100,000 files. 50 jobs with
 * 2,000 files each are as large.
 */
const JOBS: JsonLimits = { bytes: 64 * MIB, values: 500_000 }
/** For a submission: lists at most each file that the request names, and a request has at most 64 KiB (section 8). */
const SUBMISSION: JsonLimits = { bytes: 8 * MIB, values: 100_000 }

/** How large the answer to each route may be. Services may be any program, and health is requested before the user chooses one. */
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
/** Enough for any error message, and for the files of a refused submission. */
const ERROR: JsonLimits = { bytes: 256 * KIB, values: 20_000 }

const EXCESS: Readonly<Record<JsonExcess, string>> = {
  tooLong: 'it is too long',
  tooManyValues: 'it has too many values',
  tooDeep: 'it is nested too deeply',
}

/** Reads the error of a non-success response. */
export async function readRefusal(
  route: Route,
  answer: Answer,
  deadline: Deadline,
  schema: typeof ApiError,
): Promise<ServiceError> {
  const body = await readBody(answer, ERROR.bytes, deadline)
  // The status is sufficient. A truncated or oversized error body is ignored.
  const text = body.ok && jsonExcess(body.bytes, ERROR) === undefined ? body.bytes.toString('utf8') : ''
  return refusal(route, answer.statusCode, text, schema)
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
  const body = await readBody(answer, LIMITS[route].bytes, deadline)
  if (body.ok) {
    const { bytes } = body
    const isSame = last?.bytes?.equals(bytes) === true
    if (isSame && last.resource !== undefined) return succeeded(last.resource)
    const read = readResource(route, schema, bytes)
    if (last !== undefined && bytes.length <= MAX_KEPT_BYTES) {
      // A copy, because the buffer may be twice as large.
      last.bytes = Buffer.from(bytes)
      last.resource = isSame && read.ok ? read.value : undefined
    }
    return read
  }
  return failed(
    body.why === 'tooLong'
      ? badResponse(route, 'body', EXCESS.tooLong)
      : brokenExchange({ sent: true, cause: body.cause }, deadline),
  )
}

/** Parses the resource, or returns an error that names the route and the invalid field. */
function readResource<T>(route: Route, schema: z.ZodType<T>, body: Buffer): Result<T> {
  // Checking values takes far longer than counting them, and each one that is invalid becomes an error in memory.
  const excess = jsonExcess(body, LIMITS[route])
  if (excess !== undefined) return failed(badResponse(route, 'body', EXCESS[excess]))
  const json = parseJson(body.toString('utf8'))
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

/** The size of most answers, in bytes. */
const FIRST_BYTES = 64 * KIB

/**
 * Reads a stream into one buffer. Even parts of a single byte each take little more memory than their bytes.
 * @returns undefined if there are more bytes than `limit`
 */
export async function bytesOf(body: AsyncIterable<unknown>, limit: number): Promise<Buffer | undefined> {
  let bytes = Buffer.allocUnsafe(Math.min(limit, FIRST_BYTES))
  let length = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue
    const end = length + chunk.byteLength
    // Leaving the loop destroys the body and its connection.
    if (end > limit) return undefined
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(end, bytes.length * 2)))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    bytes.set(chunk, length)
    length = end
  }
  return bytes.subarray(0, length)
}

/** Sends the requests that a check needs, even invalid ones, and reads any kind of response within limits. */
import { Readable } from 'node:stream'
import type { Pool } from 'undici'
import { REQUEST_TIMEOUT_MS } from '../../shared/api/limits.ts'
import type { Timing } from '../../node/timing.ts'
import { type BaseUrl, bytesOf, exchange, loadHttpClient, startDeadline } from '../service-api/index.ts'

export type Request = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Relative to the service's address. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The value of the header `Authorization`; null omits it. Default: the key. */
  readonly authorization?: string | null
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

export type Ask = (request: Request) => Promise<Answer>

/** Thrown if the service doesn't respond, or only in part. The message completes the sentence "the service …". */
export class NoAnswer extends Error {}

/** Thrown if the request's signal is aborted, for example because the user interrupted the checks. */
export class Interrupted extends Error {}

/** Maximum size of a response in bytes, over 100 times what any check needs. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

type Options = {
  readonly baseUrl: BaseUrl
  readonly key: string
  readonly timing: Pick<Timing, 'after'>
  readonly interrupted: AbortSignal
}

export function createRequests({ baseUrl, key, timing, interrupted }: Options) {
  let pool: Promise<Pool> | undefined
  const open = async (): Promise<Pool> => {
    const { Pool } = await loadHttpClient()
    // Use a new connection for each request. Otherwise, a check could fail because of an earlier request's connection.
    return new Pool(baseUrl.origin, { pipelining: 0, headersTimeout: 0, bodyTimeout: 0, allowH2: false })
  }

  /** @param signal replaces the user's interruption, for cleaning up after it */
  async function ask(request: Request, signal = interrupted): Promise<Answer> {
    if (signal.aborted) throw new Interrupted()
    const { method, path, body, authorization = `Bearer ${key}` } = request
    const limit = { kind: 'total', ms: REQUEST_TIMEOUT_MS } as const
    const deadline = startDeadline(limit, signal, timing.after)
    const headers = {
      accept: 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...(body instanceof Uint8Array ? { 'content-length': String(body.length) } : {}),
      ...request.headers,
    }
    const content =
      body instanceof Uint8Array ? { body: Readable.from([body], { objectMode: false }) } : { body }
    try {
      const exchanged = await exchange(
        await (pool ??= open()),
        {
          method,
          path: baseUrl.prefix + path,
          headers,
          ...(content.body === undefined ? {} : { body: content.body }),
        },
        deadline,
      )
      if (!exchanged.ok) throw exchanged.cause
      const { statusCode, headers: answered } = exchanged.answer
      return { status: statusCode, headers: answered, bytes: await read(exchanged.answer.body) }
    } catch (error) {
      if (signal.aborted) throw new Interrupted()
      if (error instanceof NoAnswer) throw error
      if (deadline.ended() === 'timeout') {
        throw new NoAnswer(`did not respond completely within ${REQUEST_TIMEOUT_MS / 1000} s`)
      }
      throw new NoAnswer(sentenceFor(error))
    } finally {
      deadline.release()
    }
  }

  return { ask, close: async (): Promise<void> => (await pool)?.destroy() }
}

async function read(body: AsyncIterable<unknown>): Promise<Buffer> {
  const bytes = await bytesOf(body, MAX_ANSWER_BYTES)
  if (bytes === undefined) throw new NoAnswer('sent more than 16 MiB')
  return bytes
}

const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_ABORTED'])

function sentenceFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ECONNREFUSED') return 'refused the connection'
  if (CLOSED.has(code)) return 'closed the connection before its response was complete'
  if (error instanceof Error && error.name === 'HTTPParserError') return 'sent something that is not HTTP'
  return `did not respond correctly (${typeof code === 'string' ? code : 'unknown error'})`
}

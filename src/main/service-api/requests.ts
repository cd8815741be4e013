/** Sends one request after the other to one service, with the key and within the time limits of section 8. */
import type * as z from 'zod'
import type { Pool } from 'undici'
import { REQUEST_TIMEOUT_MS } from '../../shared/api/limits.ts'
import { failed, succeeded, type Result } from '../../shared/service-error.ts'
import type { BaseUrl } from './base-url.ts'
import { exchange, startDeadline, type Answer, type Call, type Deadline, type TimeLimit } from './exchange.ts'
import { brokenExchange, type Route } from './failure.ts'
import { readJson, readRefusal } from './read-answer.ts'

/** In ms. */
export type Timeouts = {
  /** For a whole request and its answer (section 8: 30 s). */
  readonly request: number
  /** For uploads and downloads: the longest time in which no byte moves. */
  readonly idle: number
}

export type ServiceApiOptions = {
  readonly baseUrl: BaseUrl
  /** Asked anew for every request, so that a changed key needs no new connection. Never kept, never part of an error. */
  readonly key: () => string | undefined
  readonly timeouts?: Timeouts
}

export type RequestOptions = { readonly signal?: AbortSignal }

export type Outgoing = Omit<Call, 'path' | 'headers'> & {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly withoutKey?: boolean
  readonly onBodySent?: (bytes: number) => void
}

export type Requests = {
  readonly baseUrl: BaseUrl
  /** One request; `read` makes of a successful answer what the caller wants. An idle limit is for transfers. */
  readonly send: <T>(
    route: Route,
    outgoing: Outgoing,
    limit: TimeLimit['kind'],
    signal: AbortSignal | undefined,
    read: (answer: Answer, deadline: Deadline) => Promise<Result<T>>,
  ) => Promise<Result<T>>
  readonly sendForJson: <T>(
    route: Route,
    schema: z.ZodType<T>,
    outgoing: Outgoing,
    options: RequestOptions | undefined,
    limit?: TimeLimit['kind'],
  ) => Promise<Result<T>>
  /** Ends all connections; what is under way fails. */
  readonly close: () => Promise<void>
}

/** What undici says of a request whose connection was closed here. */
const GIVEN_UP = Object.assign(new Error('closed'), { code: 'UND_ERR_DESTROYED' })

export function createRequests({ baseUrl, key, timeouts }: ServiceApiOptions): Requests {
  const { request: requestMs, idle: idleMs } = timeouts ?? {
    request: REQUEST_TIMEOUT_MS,
    idle: REQUEST_TIMEOUT_MS,
  }
  const limits: Record<TimeLimit['kind'], TimeLimit> = {
    total: { kind: 'total', ms: requestMs },
    idle: { kind: 'idle', ms: idleMs },
  }
  const pools = openPools(baseUrl.origin, requestMs)
  let isClosed = false

  async function send<T>(
    route: Route,
    outgoing: Outgoing,
    limit: TimeLimit['kind'],
    signal: AbortSignal | undefined,
    read: (answer: Answer, deadline: Deadline) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const authorization = outgoing.withoutKey === true ? succeeded({}) : authorizationHeader(key())
    if (!authorization.ok) return authorization

    const { method, path, headers, body, onBodySent } = outgoing
    const deadline = startDeadline(limits[limit], signal)
    try {
      const exchanged = await exchange(
        await (method === 'GET' ? pools.reading() : pools.writing()),
        {
          method,
          path: baseUrl.prefix + path,
          headers: { accept: 'application/json', ...headers, ...authorization.value },
          ...(body === undefined ? {} : { body }),
        },
        deadline,
        onBodySent,
      )
      if (!exchanged.ok) return failed(brokenExchange(exchanged, deadline))
      const { answer } = exchanged
      deadline.touch()
      if (answer.statusCode >= 200 && answer.statusCode < 300) return await read(answer, deadline)
      const refused = await readRefusal(route, answer, deadline)
      // Whoever gave this client up may have another key by now: an old answer would stop them for nothing.
      return failed(isClosed ? brokenExchange({ sent: true, cause: GIVEN_UP }, deadline) : refused)
    } finally {
      deadline.release()
    }
  }

  return {
    baseUrl,
    send,
    sendForJson: (route, schema, outgoing, options, limit = 'total') =>
      send(route, outgoing, limit, options?.signal, (answer, deadline) =>
        readJson(route, schema, answer, deadline),
      ),
    close() {
      isClosed = true
      return pools.destroy()
    },
  }
}

/** What a header value may hold: printable ASCII, as one word. */
const SENDABLE_KEY = /^[\x21-\x7e]+$/

/** Section 5, rule 1. Fails, with nothing sent, where there is no key or it can't stand in a header. */
function authorizationHeader(key: string | undefined): Result<{ authorization: string }> {
  if (key === undefined || key === '') {
    return failed({ kind: 'unauthorized', reason: 'noKey', message: 'No API key is set for this service.' })
  }
  if (!SENDABLE_KEY.test(key)) {
    return failed({
      kind: 'unauthorized',
      reason: 'unusableKey',
      message:
        'The API key contains spaces, line breaks or letters outside of ASCII, which no key can have. Copy it again from the service.',
    })
  }
  return succeeded({ authorization: `Bearer ${key}` })
}

/** What sends requests, loaded once. Whoever knows that there will be some, and has to wait for a service, may load it before. */
export const loadHttpClient = () => import('undici')

/**
 * The connections to a service. undici is loaded with the first request at the latest: it is not small, and a tray that has nothing
 * to ask yet should not wait for it.
 */
export type ConnectionPools = {
  /** Keeps its connections. */
  reading(): Promise<Pool>
  /**
   * A fresh connection each time, which costs a fraction of a millisecond. A service may close an idle connection at the
   * moment a request is written to it; whether it was read then, nobody can tell. Harmless for reading; a submission would
   * be left in doubt for no reason.
   */
  writing(): Promise<Pool>
  /** Ends all connections; what is under way fails. */
  destroy(): Promise<void>
}

/** @param connectMs how long connecting may take */
function openPools(origin: string, connectMs: number): ConnectionPools {
  // Time is kept by our own deadline, which knows what undici's two timers don't: the whole, and what moves.
  const timing = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: connectMs, allowH2: false }
  const pools: Partial<Record<'reading' | 'writing', Promise<Pool>>> = {}
  let destroyed = false

  async function open(options: object): Promise<Pool> {
    const { Pool } = await loadHttpClient()
    const pool = new Pool(origin, { ...timing, ...options })
    if (destroyed) await pool.destroy()
    return pool
  }

  return {
    reading: () => (pools.reading ??= open({})),
    // `pipelining: 0` is undici's way of saying so.
    writing: () => (pools.writing ??= open({ pipelining: 0 })),
    async destroy() {
      destroyed = true
      for (const pool of Object.values(pools)) await (await pool).destroy()
    },
  }
}

/** Sends requests to one service, with its key and within the time limits of section 8. */
import type * as z from 'zod'
import type { Pool } from 'undici'
import { REQUEST_TIMEOUT_MS } from '../../shared/api/limits.ts'
import { otherResources, ownResources } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result } from '../../shared/service-error.ts'
import type { BaseUrl } from './base-url.ts'
import { exchange, startDeadline, type Answer, type Call, type Deadline, type TimeLimit } from './exchange.ts'
import { brokenExchange, type Route } from './failure.ts'
import type { parseAnswer } from './parse-answer.ts'
import { readJson, readRefusal } from './read-answer.ts'

/** In ms. */
export type Timeouts = {
  /** For a whole request including its response (section 8: 30 s). */
  readonly request: number
  /** For uploads and downloads: maximum time without any data transfer. */
  readonly idle: number
}

export type ServiceApiOptions = {
  readonly baseUrl: BaseUrl
  /**
   * Called for every request, so that a changed key doesn't require a new connection. The key is never stored and never part of an error.
   */
  readonly key: () => string | undefined
  readonly timeouts?: Timeouts
  /**
   * Whether this is the built-in service. Only the built-in service's failure codes are trusted; for other services, only their error
   * messages are used.
   */
  readonly isBuiltIn?: boolean
}

export type RequestOptions = { readonly signal?: AbortSignal }

/** The content of a request. Its method and path follow from its route. */
export type Outgoing = Pick<Call, 'body'> & {
  /** Replaces `{jobId}` in the route. */
  readonly jobId?: string
  /** Starts with a question mark. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly withoutKey?: boolean
  readonly onBodySent?: (bytes: number) => void
}

export type Requests = ReturnType<typeof createRequests>

/** The error that undici reports for a connection closed on this side. */
const GIVEN_UP = Object.assign(new Error('closed'), { code: 'UND_ERR_DESTROYED' })

export function createRequests({ baseUrl, key, timeouts, isBuiltIn = false }: ServiceApiOptions) {
  const resources = isBuiltIn ? ownResources : otherResources()
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

  /** Sends one request. `read` converts a successful response. Use an idle limit for transfers. */
  async function send<T>(
    route: Route,
    outgoing: Outgoing,
    limit: TimeLimit['kind'],
    signal: AbortSignal | undefined,
    read: (answer: Answer, deadline: Deadline) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const authorization = outgoing.withoutKey === true ? succeeded({}) : authorizationHeader(key())
    if (!authorization.ok) return authorization

    const { jobId = '', query = '', headers, body, onBodySent } = outgoing
    const [method, path] = route.replace('{jobId}', jobId).split(' ') as [Call['method'], string]
    const deadline = startDeadline(limits[limit], signal)
    try {
      const exchanged = await exchange(
        await (method === 'GET' ? pools.reading() : pools.writing()),
        {
          method,
          path: baseUrl.prefix + path + query,
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
      const refused = await readRefusal(route, answer, deadline, resources.ApiError)
      // This client may have been closed because the key changed. A late response to the old key must not affect the new client.
      return failed(isClosed ? brokenExchange({ sent: true, cause: GIVEN_UP }, deadline) : refused)
    } finally {
      deadline.release()
    }
  }

  return {
    baseUrl,
    resources,
    send,
    sendForJson: <T>(
      route: Route,
      schema: z.ZodType<T>,
      outgoing: Outgoing,
      options: RequestOptions | undefined,
      limit: TimeLimit['kind'] = 'total',
      parse?: typeof parseAnswer,
    ): Promise<Result<T>> =>
      send(route, outgoing, limit, options?.signal, (answer, deadline) =>
        readJson(route, schema, answer, deadline, parse),
      ),
    /** Closes all connections; pending requests fail. */
    close: (): Promise<void> => {
      isClosed = true
      return pools.destroy()
    },
  }
}

/** Characters that the key may contain: printable ASCII without spaces. */
const SENDABLE_KEY = /^[\x21-\x7e]+$/

/** Returns the `authorization` header (section 5, rule 1). Fails if there is no key, or if the key isn't valid in a header. */
export function authorizationHeader(key: string | undefined): Result<{ authorization: string }> {
  if (key === undefined || key === '') {
    return failed({ kind: 'unauthorized', reason: 'noKey', ...because(failure('keyMissing')) })
  }
  if (!SENDABLE_KEY.test(key)) {
    return failed({ kind: 'unauthorized', reason: 'unusableKey', ...because(failure('keyUnusable')) })
  }
  return succeeded({ authorization: `Bearer ${key}` })
}

/** Loads the HTTP client once. Call it early to overlap loading with waiting for a service. */
export const loadHttpClient = () => import('undici')

/**
 * Opens the connections to a service. undici is loaded with the first request at the latest: it is large, and the tray shouldn't wait for
 * it.
 * @param connectMs connection timeout
 */
function openPools(origin: string, connectMs: number) {
  // Our own deadline enforces the limits. Unlike undici's two timers, it covers the whole request and the data transfer.
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
    /** Returns the connections for reads, which are kept alive. */
    reading: () => (pools.reading ??= open({})),
    /**
     * Opens a new connection per request (`pipelining: 0` disables keep-alive in undici), which costs a fraction of a millisecond.
     * A service may close an idle connection just as a request is written, and then it is unknowable whether the request was
     * read. That is harmless for reads, but would leave the outcome of a submission unknown for no reason.
     */
    writing: () => (pools.writing ??= open({ pipelining: 0 })),
    async destroy() {
      destroyed = true
      for (const pool of Object.values(pools)) await (await pool).destroy()
    },
  }
}

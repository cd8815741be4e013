/** Sends a request after a job. */
import { STATUS_CODES } from '../../node/node-http.ts'
import { codeOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { loadHttpClient } from '../service-api/index.ts'
import { privateLookup } from './private-lookup.ts'
import { firstLine } from './shown-line.ts'

/** How long a server may take to respond, in ms. */
const LIMIT_MS = 30_000
const CONNECT_MS = 10_000
/** How much of a response's body is read, in bytes. */
const MOST_READ = 2_000

export type PostRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Whether the URL's name may stand for any address. */
  readonly isPublic: boolean
  /** Whether to report the first line of the body even if the server accepts the request. */
  readonly isTest: boolean
  /** Texts to remove from the reported line, because a server may repeat them, and results are stored and shown. */
  readonly secrets?: readonly string[]
}

/** The shortest text that counts as a secret. Shorter parts of a path are words such as `api`. */
const SHORTEST_SECRET = 4

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text)

/**
 * Sends a POST request and waits for the response's status. Redirects aren't followed, because they would send the user's data
 * somewhere else.
 * @param signal ends the request early
 */
export async function post(
  { url, headers, body, isPublic, isTest, secrets = [] }: PostRequest,
  { after, monotonic }: Pick<Timing, 'after' | 'monotonic'>,
  signal: AbortSignal,
): Promise<HookResult> {
  const { Agent } = await loadHttpClient()
  const startedAt = monotonic()
  // `AbortSignal.any` would keep each request in memory for as long as `signal` lives.
  const ending = new AbortController()
  let isLate = false
  const end = () => ending.abort()
  const cancelLimit = after(LIMIT_MS, () => {
    // If this process was suspended, the response may already have arrived.
    setImmediate(() => {
      isLate = true
      end()
    })
  })
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const connect = isPublic ? {} : { lookup: privateLookup() }
  const agent = new Agent({
    connectTimeout: CONNECT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect,
  })
  const { origin, pathname, search } = new URL(url)
  try {
    const { statusCode: status, body: answer } = await unlessAborted(
      agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Mediatray', ...headers },
        body,
        signal: ending.signal,
      }),
      ending.signal,
    )
    const ms = Math.round(monotonic() - startedAt)
    const isAccepted = status >= 200 && status < 300
    const text = isTest || !isAccepted ? await startOf(answer, ending.signal) : ''
    // The line is shortened last, because a part of a secret wouldn't be found.
    const detail = firstLine(withoutSecrets(text, secrets))
    const reason = STATUS_CODES[status] ?? ''
    return { kind: 'answered', status, reason, ms, ...(detail !== '' && { detail }) }
  } catch (error) {
    if (isLate) return { kind: 'timedOut' }
    if (signal.aborted) return { kind: 'interrupted' }
    return { kind: 'notReached', code: codeOf(error) || 'unknown' }
  } finally {
    cancelLimit()
    signal.removeEventListener('abort', end)
    // The response's body may be endless, so the rest isn't read.
    await agent.destroy()
  }
}

/** Returns the first bytes of a body as text; what has arrived if it ends early. */
async function startOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  const reading = (async () => {
    for await (const part of body) {
      parts.push(part)
      size += part.length
      if (size >= MOST_READ || part.includes(10)) return
    }
  })()
  await unlessAborted(reading, signal).catch(() => undefined)
  return Buffer.concat(parts).subarray(0, MOST_READ).toString()
}

/** Rejects as soon as the signal aborts. undici checks its own signal only once it is connected. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  work.catch(() => undefined)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

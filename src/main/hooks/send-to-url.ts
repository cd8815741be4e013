import { createHmac } from 'node:crypto'
import { STATUS_CODES } from '../../node/node-http.ts'
import { codeOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { urlFault } from '../../shared/model/hook-state.ts'
import { loadHttpClient } from '../service-api/index.ts'
import type { SigningKey } from './signing-key.ts'

/** How long a server may take to answer, in ms. */
const LIMIT_MS = 30_000
const CONNECT_MS = 10_000

export type Message = { readonly id: string; readonly body: string }

/**
 * Sends a signed POST request and waits for the response's status. Redirects aren't followed, because they would send the user's paths
 * somewhere else.
 * @param signal ends the request early
 */
export async function sendToUrl(
  url: string,
  { id, body }: Message,
  { clock, after, monotonic }: Pick<Timing, 'clock' | 'after' | 'monotonic'>,
  key: SigningKey,
  signal: AbortSignal,
): Promise<HookResult> {
  const fault = urlFault(url)
  if (fault !== undefined) return { kind: 'badUrl', fault }
  const kept = await key.read()
  if (!kept.ok) return { kind: 'noKey', trouble: kept.trouble }
  const { Agent } = await loadHttpClient()
  const startedAt = monotonic()
  // `AbortSignal.any` would keep each request in memory for as long as `signal` lives.
  const ending = new AbortController()
  let isLate = false
  const end = () => ending.abort()
  const cancelLimit = after(LIMIT_MS, () => {
    // If this process was suspended, the answer may already be here.
    setImmediate(() => {
      isLate = true
      end()
    })
  })
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const agent = new Agent({ connectTimeout: CONNECT_MS, headersTimeout: 0, bodyTimeout: 0, allowH2: false })
  const { origin, pathname, search } = new URL(url)
  try {
    const { statusCode: status } = await unlessAborted(
      agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Mediatray',
          'mediatray-delivery': id,
          'mediatray-signature': signatureOf(body, kept.value, Math.floor(clock() / 1_000)),
        },
        body,
        signal: ending.signal,
      }),
      ending.signal,
    )
    return {
      kind: 'answered',
      status,
      reason: STATUS_CODES[status] ?? '',
      ms: Math.round(monotonic() - startedAt),
    }
  } catch (error) {
    if (isLate) return { kind: 'timedOut' }
    if (signal.aborted) return { kind: 'interrupted' }
    return { kind: 'notReached', code: codeOf(error) || 'unknown' }
  } finally {
    cancelLimit()
    signal.removeEventListener('abort', end)
    // The response's body may be endless, so it isn't read.
    await agent.destroy()
  }
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

/** Signs the time together with the body, so that a recorded request can't be sent again later. */
export function signatureOf(body: string, key: string, seconds: number): string {
  const digest = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${digest}`
}

import { STATUS_CODES } from '../../node/node-http.ts'
import { codeOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import { unlessAborted } from '../../node/unless-aborted.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { loadHttpClient } from '../service-api/index.ts'
import { privateLookup } from './private-lookup.ts'
import { shownLine } from './shown-line.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Time limit for a server's response, in ms. */
const LIMIT_MS = 30_000
const CONNECT_MS = 10_000
/** Number of bytes after which reading a response's body stops, and number of characters after which its first line is cut. */
const MOST_READ = 2_000

export type PostRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Whether the URL's host name may resolve to any address, rather than only to private ones. */
  readonly isPublic: boolean
  /** Whether to report the first line of the response's body even if the server accepts the request. */
  readonly isTest: boolean
  /** Texts to remove from the reported line, because a server may repeat them, and results are stored and shown. */
  readonly secrets?: readonly string[]
}

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
    const { line, isCut } = isTest || !isAccepted ? await firstLine(answer, ending.signal) : NO_LINE
    const detail = shownLine(line, (whole) => withoutSecrets(whole, secrets, isCut))
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

const NO_LINE = { line: '', isCut: false }

/** Returns the first non-blank line of a body, cut if it is long or the body ends early. */
async function firstLine(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ readonly line: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  let isWhole = false
  const reading = (async () => {
    for await (const part of body) {
      text = (text + decoder.decode(part, { stream: true })).trimStart()
      size += part.length
      if (size >= MOST_READ || text.includes('\n')) return
    }
    isWhole = true
  })()
  await unlessAborted(reading, signal).catch(() => undefined)
  const [line = ''] = text.split('\n', 1)
  const isEnded = isWhole || text.includes('\n')
  return { line: line.slice(0, MOST_READ), isCut: line.length > MOST_READ || !isEnded }
}

import type { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import { systemTiming, type Timing } from '../../node/timing.ts'
import { unlessAborted } from '../../node/unless-aborted.ts'

export type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute path including the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Readable
}

export type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

/** `sent` is false only if not a single byte of the request can have been sent. */
export type Exchange =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly sent: boolean; readonly cause: unknown }

/**
 * Sends one request once and waits for the response headers. The caller reads the body under the same deadline.
 *
 * undici calls `onRequestStart` immediately before it writes the first header byte to a connected socket, and never earlier. Only
 * this reveals whether a failed request can have reached the service. Error codes don't, because ECONNRESET occurs while
 * connecting, sending and waiting alike.
 */
export async function exchange(
  pool: Pool,
  call: Call,
  deadline: Deadline,
  onBodySent?: (bytes: number) => void,
): Promise<Exchange> {
  let sent = false
  const watched = pool.compose(
    watchSending({
      onStart: () => {
        sent = true
      },
      onBodySent: (bytes) => {
        deadline.touch()
        onBodySent?.(bytes)
      },
    }),
  )
  try {
    const answering = watched.request({ ...call, body: call.body ?? null, signal: deadline.signal })
    return { ok: true, answer: await unlessAborted(answering, deadline.signal) }
  } catch (cause) {
    return { ok: false, sent, cause }
  }
}

type SendingEvents = { onStart(): void; onBodySent(bytes: number): void }

const watchSending =
  (events: SendingEvents): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context)
        if (!controller.aborted) events.onStart()
      },
      onRequestUpgrade: (controller, status, headers, socket) =>
        handler.onRequestUpgrade?.(controller, status, headers, socket),
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      onBodySent: (chunk) => events.onBodySent(chunk.byteLength),
    })

/** Time limit of a request in ms: in total, or without any data transfer. */
export type TimeLimit = { readonly kind: 'total' | 'idle'; readonly ms: number }

/** One signal for both reasons to end a request early: the time limit and the caller. */
export type Deadline = ReturnType<typeof startDeadline>

export function startDeadline(
  limit: TimeLimit,
  caller: AbortSignal | undefined,
  after: Timing['after'] = systemTiming.after,
) {
  const controller = new AbortController()
  let ended: 'timeout' | 'aborted' | undefined

  const end = (how: 'timeout' | 'aborted') => {
    if (ended !== undefined) return
    ended = how
    controller.abort(new Error(how))
  }
  const onCallerAbort = () => end('aborted')
  const startTimer = () => after(limit.ms, () => end('timeout'))
  let cancelTimer = startTimer()
  let isIdle = limit.kind === 'idle'
  /** Reports data transfer. Restarts an idle limit; has no effect on a total limit. */
  const touch = () => {
    if (!isIdle || ended !== undefined) return
    cancelTimer()
    cancelTimer = startTimer()
  }

  if (caller?.aborted) end('aborted')
  else caller?.addEventListener('abort', onCallerAbort, { once: true })

  return {
    signal: controller.signal,
    /** Returns the reason for aborting the request early, if there was one. */
    ended: (): 'timeout' | 'aborted' | undefined => ended,
    touch,
    /** Turns an idle limit into a total limit for the rest of the exchange. */
    limitRest: (): void => {
      touch()
      isIdle = false
    },
    release: (): void => {
      cancelTimer()
      caller?.removeEventListener('abort', onCallerAbort)
    },
  }
}

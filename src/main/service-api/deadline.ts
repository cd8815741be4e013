/** How long a request may take, in ms: altogether, or without anything moving. */
export type TimeLimit = { readonly kind: 'total' | 'idle'; readonly ms: number }

/** One signal for both ends a request can be brought to from this side: its time is up, or its caller gave up. */
export type Deadline = {
  readonly signal: AbortSignal
  /** What ended it, if anything did. */
  readonly ended: () => 'timeout' | 'aborted' | undefined
  /** Something moved: an idle limit begins anew, a total one goes on. */
  readonly touch: () => void
  readonly release: () => void
}

export function startDeadline(limit: TimeLimit, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let ended: 'timeout' | 'aborted' | undefined

  const end = (how: 'timeout' | 'aborted') => {
    if (ended !== undefined) return
    ended = how
    controller.abort(new Error(how))
  }
  const onCallerAbort = () => end('aborted')
  const timer = setTimeout(() => end('timeout'), limit.ms)

  if (caller?.aborted) end('aborted')
  else caller?.addEventListener('abort', onCallerAbort, { once: true })

  return {
    signal: controller.signal,
    ended: () => ended,
    touch: () => {
      if (limit.kind === 'idle' && ended === undefined) timer.refresh()
    },
    release: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onCallerAbort)
    },
  }
}

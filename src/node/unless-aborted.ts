/** Rejects as soon as the signal aborts, even if the work goes on. undici, for example, checks its signal only once it is connected. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  work.catch(() => undefined)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

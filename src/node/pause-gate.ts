/** Pauses work at points where it can wait, such as between two frames. */
export type PauseGate = Pick<ReturnType<typeof createPauseGate>, 'pass'>

export function createPauseGate() {
  let opening: PromiseWithResolvers<void> | undefined
  let since = 0
  let earlierMs = 0
  const heldMs = () => earlierMs + (opening === undefined ? 0 : performance.now() - since)
  return {
    hold(isHeld: boolean): void {
      if (isHeld === (opening !== undefined)) return
      earlierMs = heldMs()
      since = performance.now()
      opening?.resolve()
      opening = isHeld ? Promise.withResolvers() : undefined
    },
    /** Returns for how long all pauses so far have lasted together, in ms. */
    heldMs,
    /**
     * Returns undefined if the gate is open or the job has been stopped. Otherwise resolves when the gate opens or the job is stopped.
     * Afterward, the caller checks for a stop, as it does without a pause.
     */
    pass(this: void, signal: AbortSignal): Promise<void> | undefined {
      if (opening === undefined || signal.aborted) return undefined
      const { promise: stopped, resolve } = Promise.withResolvers<void>()
      const stop = (): void => resolve()
      signal.addEventListener('abort', stop)
      return Promise.race([opening.promise, stopped]).finally(() => signal.removeEventListener('abort', stop))
    },
  }
}

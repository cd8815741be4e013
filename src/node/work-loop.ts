import type { Timing } from './timing.ts'

/** Time until the next step in ms. 0 means immediately; null means once `wake` is called. */
export type Pause = number | null

type Work = {
  readonly step: () => Promise<Pause>
  /** Handles an error of a step and returns the pause before the next one. */
  readonly onError: (error: unknown) => Pause
  readonly after: Timing['after']
}

/** Caps each pause: timers are limited to 31 bits, and a clock that was set back must not delay a step forever. */
const LONGEST_PAUSE_MS = 60_000

/** Runs steps one at a time and pauses after each step for the time that the step returns. */
export function createWorkLoop({ step, onError, after }: Work) {
  const ending = new AbortController()
  let running: Promise<void> | undefined
  let woken = false
  let endPause: (() => void) | undefined

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      woken = false
      const pause = await nextStep()
      if (pause !== 0 && !woken && !ending.signal.aborted) await rest(pause)
    }
  }

  async function nextStep(): Promise<Pause> {
    try {
      return await step()
    } catch (error) {
      return onError(error)
    }
  }

  async function rest(pause: Pause): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = pause === null ? undefined : after(Math.min(pause, LONGEST_PAUSE_MS), resolve)
    endPause = resolve
    await promise
    cancel?.()
  }

  /** Ends the current pause, or skips the pause after the current step. */
  function wake(): void {
    woken = true
    endPause?.()
  }

  return {
    start(): void {
      running ??= run()
    },
    wake,
    /**
     * Prevents further steps.
     * @returns a promise that resolves when the current step has ended
     */
    async stop(): Promise<void> {
      ending.abort()
      wake()
      await running
    },
    /** Aborted when `stop` is called. */
    ending: ending.signal,
  }
}

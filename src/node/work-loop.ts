import type { Timing } from './timing.ts'

/** In ms until the next step; 0: at once; null: until `wake`. */
export type Pause = number | null

export interface WorkLoop {
  start(): void
  /** Something may have become possible: the pause ends, or none is made after the step under way. */
  wake(): void
  /** Begins no further step. @returns when the one under way has ended */
  stop(): Promise<void>
  /** Aborted by `stop`. */
  readonly ending: AbortSignal
}

export type WorkLoopDeps = {
  /** Whether this process is the one that does this work; asked before each step. */
  readonly claim: () => boolean
  readonly step: () => Promise<Pause>
  /** A step that threw; says how long to wait before the next one. */
  readonly onError: (error: unknown) => Pause
  readonly after: Timing['after']
}

const CLAIM_RETRY_MS = 2_000
/** Timers hold 31 bits; and a clock that was set back must not put a step off for ever. */
const LONGEST_PAUSE_MS = 60_000

/** Does one step after the other, never two at a time, with the pause in between that each step asks for. */
export function createWorkLoop({ claim, step, onError, after }: WorkLoopDeps): WorkLoop {
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
      return claim() ? await step() : CLAIM_RETRY_MS
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

  function wake(): void {
    woken = true
    endPause?.()
  }

  return {
    start() {
      running ??= run()
    },
    wake,
    async stop() {
      ending.abort()
      wake()
      await running
    },
    ending: ending.signal,
  }
}

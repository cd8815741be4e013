import type { Timing } from '../../node/timing.ts'
import { POLL_INTERVAL_MS } from '../../shared/api/limits.ts'

/** Interval in ms while the window is visible and no job is active. */
const IDLE_MS = 10_000
/** Interval in ms while the window is hidden and no job is active. */
const IDLE_HIDDEN_MS = 30_000
const LONGEST_BACK_OFF_MS = 60_000

type BusyPace = {
  /** Delay in ms before each of the first polls after a submission. Most photos are done by then. */
  readonly first: readonly [number, ...number[]]
  /** Interval in ms after the first polls. */
  readonly after: number
}

const EXTERNAL: BusyPace = { first: [200, 500, 1_000], after: POLL_INTERVAL_MS }
/** Pace for the built-in service. Polling our own process is cheap, and that process also notifies us when a job ends. */
const BUILT_IN: BusyPace = { first: [50], after: 250 }

type PauseReason = 'suspended' | 'keyRefused' | 'closed'

/**
 * Decides when to poll, and whether polling is allowed at all (rule 5).
 * @param isBuiltIn whether the current service is the built-in one
 */
export function createPollSchedule(
  { after, random, isBuiltIn }: Pick<Timing, 'after' | 'random'> & { readonly isBuiltIn: () => boolean },
  poll: () => void,
) {
  const pauseReasons = new Set<PauseReason>()
  let cancelTimer: (() => void) | undefined
  /** Number of consecutive failed polls. */
  let failures = 0
  /** Whether a window shows the jobs. False at first, for example after a start at login. */
  let visible = false
  /** Number of polls since the last submission was accepted. */
  let sinceAccepted = Infinity
  /** Whether the pending poll is the first one after a submission. */
  let isSoon = false

  const mayPoll = (): boolean => pauseReasons.size === 0

  function pollIn(ms: number): void {
    cancelTimer?.()
    isSoon = false
    cancelTimer = mayPoll() ? after(ms, poll) : undefined
  }

  /** Returns the delay until the next poll, in ms. After failures, jitter keeps clients of a recovered service from all polling at once. */
  function delay(busy: boolean): number {
    if (failures > 0) {
      const longest = Math.min(LONGEST_BACK_OFF_MS, POLL_INTERVAL_MS * 2 ** Math.min(failures, 10))
      return longest / 2 + (longest / 2) * random()
    }
    const pace = isBuiltIn() ? BUILT_IN : EXTERNAL
    if (busy) return pace.first[sinceAccepted] ?? pace.after
    return visible ? IDLE_MS : IDLE_HIDDEN_MS
  }

  function pause(reason: PauseReason): void {
    pauseReasons.add(reason)
    cancelTimer?.()
    cancelTimer = undefined
  }

  return {
    mayPoll,
    /** Polls immediately, if polling is allowed. */
    now: (): void => pollIn(0),
    /**
     * Polls soon after a submission is accepted. Further submissions don't postpone that poll. Doesn't change the time of the next poll
     * while polls fail.
     */
    accepted(): void {
      sinceAccepted = 0
      if (isSoon || failures > 0) return
      pollIn(delay(true))
      isSoon = true
    },
    /** Schedules the next regular poll. @param busy whether the last poll had active jobs */
    next(busy: boolean): void {
      sinceAccepted += 1
      pollIn(delay(busy))
    },
    succeeded(): void {
      failures = 0
    },
    failed(): void {
      failures += 1
    },
    /** Stops polling until `keyChanged` (section 5). */
    keyRefused: (): void => void pauseReasons.add('keyRefused'),
    keyChanged(): void {
      pauseReasons.delete('keyRefused')
      failures = 0
    },
    suspend: (): void => pause('suspended'),
    /** @returns whether polling was suspended */
    resume: (): boolean => pauseReasons.delete('suspended'),
    /** @returns whether the window has just become visible */
    setVisible(nowVisible: boolean): boolean {
      const appeared = nowVisible && !visible
      visible = nowVisible
      return appeared
    },
    close: (): void => pause('closed'),
  }
}

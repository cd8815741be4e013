import type { Timing } from '../../node/timing.ts'
import { POLL_INTERVAL_MS } from '../../shared/api/limits.ts'

/** Nothing is under way, and somebody is looking. */
export const IDLE_MS = 10_000
/** Nothing is under way and nobody is looking: one request in 30 s. */
export const IDLE_HIDDEN_MS = 30_000
export const LONGEST_BACK_OFF_MS = 60_000

type BusyPace = {
  /** ms before each of the first polls after a submission: most photos are done by then. */
  readonly first: readonly [number, ...number[]]
  /** ms between the polls after those. */
  readonly after: number
}

const EXTERNAL: BusyPace = { first: [200, 500, 1_000], after: POLL_INTERVAL_MS }
/** It is ours: asking it often costs nobody anything, and when a job ends it says so by itself. */
const BUILT_IN: BusyPace = { first: [50], after: 250 }

export type PollSituation = {
  /** Something is queued, in work or uploading. */
  readonly busy: boolean
  readonly visible: boolean
  /** Polls in a row that have failed. */
  readonly failures: number
  readonly builtIn: boolean
  /** Polls since the last submission was accepted. */
  readonly sinceAccepted: number
}

/** ms until the next poll. @param random 0..1, so that several clients of a service that is back don't all ask at once */
export function pollDelay(situation: PollSituation, random: () => number): number {
  const { busy, visible, failures, builtIn, sinceAccepted } = situation
  if (failures > 0) {
    const longest = Math.min(LONGEST_BACK_OFF_MS, POLL_INTERVAL_MS * 2 ** Math.min(failures, 10))
    return longest / 2 + (longest / 2) * random()
  }
  const { first, after } = builtIn ? BUILT_IN : EXTERNAL
  if (busy) return first[sinceAccepted] ?? after
  return visible ? IDLE_MS : IDLE_HIDDEN_MS
}

/** When to poll, and whether at all (rule 5). */
export interface PollSchedule {
  /** Whether a poll may be sent now. */
  mayPoll(): boolean
  /** Polls at once, or never while it may not. */
  now(): void
  /** Polls in a moment: a submission was accepted. Many of them one after the other put the poll off no further. */
  accepted(): void
  /** Polls when it is time again, given what the last reading has shown. */
  next(busy: boolean): void
  succeeded(): void
  failed(): void
  /** Authenticated calls stop until `keyChanged` (section 5). */
  keyRefused(): void
  keyChanged(): void
  suspend(): void
  /** @returns whether it was suspended */
  resume(): boolean
  /** @returns whether somebody looks who did not before */
  setVisible(visible: boolean): boolean
  close(): void
}

type Standstill = 'suspended' | 'keyRefused' | 'closed'

export type PollScheduleDeps = Pick<Timing, 'after' | 'random'> & {
  /** Whether the service that is asked is the built-in one. */
  readonly isBuiltIn: () => boolean
}

export function createPollSchedule(
  { after, random, isBuiltIn }: PollScheduleDeps,
  poll: () => void,
): PollSchedule {
  const standstills = new Set<Standstill>()
  let cancelTimer: (() => void) | undefined
  let failures = 0
  let visible = true
  let sinceAccepted = Infinity
  /** The poll that is waited for is the first one after a submission. */
  let isSoon = false

  const mayPoll = () => standstills.size === 0

  function pollIn(ms: number): void {
    cancelTimer?.()
    isSoon = false
    cancelTimer = mayPoll() ? after(ms, poll) : undefined
  }

  const delay = (busy: boolean) =>
    pollDelay({ busy, visible, failures, builtIn: isBuiltIn(), sinceAccepted }, random)

  function stand(still: Standstill): void {
    standstills.add(still)
    cancelTimer?.()
    cancelTimer = undefined
  }

  return {
    mayPoll,
    now: () => pollIn(0),
    accepted() {
      sinceAccepted = 0
      if (isSoon || failures > 0) return
      pollIn(delay(true))
      isSoon = true
    },
    next(busy) {
      sinceAccepted += 1
      pollIn(delay(busy))
    },
    succeeded() {
      failures = 0
    },
    failed() {
      failures += 1
    },
    keyRefused: () => void standstills.add('keyRefused'),
    keyChanged() {
      standstills.delete('keyRefused')
      failures = 0
    },
    suspend: () => stand('suspended'),
    resume: () => standstills.delete('suspended'),
    setVisible(nowVisible) {
      const appeared = nowVisible && !visible
      visible = nowVisible
      return appeared
    },
    close: () => stand('closed'),
  }
}

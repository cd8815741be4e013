/** Quiet mode: when jobs may run. The clock, the time zone and the computer's use are passed in. */
import { isWithin, msOfTime, nextChange, tomorrowMorning, type Zone } from '../time-window.ts'
import type { Settings } from './settings.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

/** Why jobs wait. If several reasons apply, the first one of this list is shown. */
export const QUIET_REASONS = ['paused', 'time', 'power', 'idle'] as const
export type QuietReason = (typeof QUIET_REASONS)[number]

export const isQuietReason = (reason: string): reason is QuietReason =>
  QUIET_REASONS.some((quietReason) => quietReason === reason)

export type QuietWait = {
  readonly reason: QuietReason
  /** ms since 1970; null if an event ends the wait, such as connecting the power supply or a user's action. */
  readonly until: number | null
}

/** How the computer is used. A condition about an unknown value is ignored, because it might never be met. */
export type ComputerUse = {
  readonly power: 'mains' | 'battery' | 'unknown'
  /** Time since the last input in ms; null if unknown. */
  readonly idleMs: number | null
}

/** The conditions that this computer can check. */
export type QuietAbilities = {
  /** `none`: the computer has no battery. */
  readonly battery: 'present' | 'none' | 'unknown'
  readonly idle: boolean
}

export type QuietView = {
  /** Why jobs wait now; null if they may run. */
  readonly wait: QuietWait | null
  readonly abilities: QuietAbilities
}

export type QuietRules = Pick<Settings, 'quiet' | 'outboxPaused' | 'pausedUntil'>

export type Quiet = {
  /** null if jobs may run. */
  readonly wait: QuietWait | null
  /** When `wait` may change without an event, in ms since 1970; null if it can't. */
  readonly nextCheck: number | null
}

/** Upper limit for a pause with an end, which lasts until tomorrow at most. A longer pause means that the clock was set back. */
const LONGEST_PAUSE_MS = 2 * DAY_MS

export const isPaused = ({ outboxPaused, pausedUntil }: QuietRules, now: number): boolean =>
  outboxPaused && (pausedUntil === null || (now < pausedUntil && pausedUntil - now <= LONGEST_PAUSE_MS))

/**
 * Decides whether jobs may run now: the user hasn't paused them, and all conditions are met. Returns why they wait, and when to check
 * again.
 * @param now ms since 1970
 */
export function quiet(rules: QuietRules, use: ComputerUse, now: number, zone: Zone): Quiet {
  const { quiet: conditions, pausedUntil } = rules
  const waits: QuietWait[] = []
  const checks: number[] = []

  if (isPaused(rules, now)) {
    waits.push({ reason: 'paused', until: pausedUntil })
    if (pausedUntil !== null) checks.push(pausedUntil)
  }
  if (conditions.between) {
    const window = { from: msOfTime(conditions.from), until: msOfTime(conditions.until) }
    const change = nextChange(window, now, zone)
    if (change !== null) checks.push(change)
    if (!isWithin(window, now, zone)) waits.push({ reason: 'time', until: change })
  }
  if (conditions.plugged && use.power === 'battery') waits.push({ reason: 'power', until: null })
  if (conditions.idle && use.idleMs !== null) {
    const missing = conditions.idleMinutes * MINUTE_MS - use.idleMs
    if (missing > 0) {
      waits.push({ reason: 'idle', until: null })
      checks.push(now + missing)
    }
  }
  return { wait: waits[0] ?? null, nextCheck: checks.length === 0 ? null : Math.min(...checks) }
}

export const sameWait = (one: QuietWait | null, other: QuietWait | null): boolean =>
  one?.reason === other?.reason && one?.until === other?.until

export const PAUSE_LENGTHS = ['hour', 'tomorrow', 'untilResumed'] as const
export type PauseLength = (typeof PAUSE_LENGTHS)[number]

type PauseSettings = Pick<Settings, 'outboxPaused' | 'pausedUntil'>

/** Returns the settings that begin a pause. @param now ms since 1970 */
export function pauseFor(length: PauseLength, now: number, zone: Zone): PauseSettings {
  const ends = { hour: now + HOUR_MS, tomorrow: tomorrowMorning(now, zone), untilResumed: null }
  return { outboxPaused: true, pausedUntil: ends[length] }
}

export const RESUMED: PauseSettings = { outboxPaused: false, pausedUntil: null }

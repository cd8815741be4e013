/** Daily windows of local time, such as 22:00 to 07:00, which may cross midnight and changes of the time zone's offset. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

/** Returns the offset from UTC in ms at an instant in ms since 1970: local time minus UTC. */
export type Zone = (instant: number) => number

/** In ms since local midnight. If `until` is earlier than `from`, the window contains midnight. If they are equal, it never ends. */
export type TimeWindow = { readonly from: number; readonly until: number }

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/

/** Whether the text is a time of day such as `07:30`. */
export const isTimeOfDay = (text: string): boolean => TIME_OF_DAY.test(text)

/** Converts a time of day to ms since local midnight. @param text such as `07:30` */
export function msOfTime(text: string): number {
  const [, hours = '0', minutes = '0'] = TIME_OF_DAY.exec(text) ?? []
  return Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
}

/** Like `%`, but never negative. */
const modulo = (value: number, by: number): number => ((value % by) + by) % by

const msOfDay = (instant: number, zone: Zone): number => modulo(instant + zone(instant), DAY_MS)

/**
 * Whether the local time is in the window. When clocks are set back, a time that occurs twice is in the window twice. When they are set
 * forward, the skipped times are missing from the window.
 */
export function isWithin({ from, until }: TimeWindow, instant: number, zone: Zone): boolean {
  const time = msOfDay(instant, zone)
  if (from < until) return from <= time && time < until
  return from === until || from <= time || time < until
}

/** Returns the first instant after `now` at which the window begins, or ends if `now` is in it; null if the window is always open. */
export function nextChange(window: TimeWindow, now: number, zone: Zone): number | null {
  if (window.from === window.until) return null
  const isInside = isWithin(window, now, zone)
  const boundary = isInside ? window.until : window.from
  let instant = now
  for (;;) {
    const candidate = instant + modulo(boundary - msOfDay(instant, zone), DAY_MS)
    const shift = firstShift(instant, candidate, zone)
    if (shift === undefined) return candidate
    // The clock may jump forward over the boundary, or back to before it.
    if (isWithin(window, shift, zone) !== isInside) return shift
    instant = shift
  }
}

/**
 * Returns the first instant after `start`, up to `end`, at which the offset is no longer that of `start`; undefined if it is the same at
 * `end`.
 */
function firstShift(start: number, end: number, zone: Zone): number | undefined {
  const offset = zone(start)
  if (zone(end) === offset) return undefined
  let [same, other] = [start, end]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (zone(middle) === offset) same = middle
    else other = middle
  }
  return other
}

/** From 6:00 to 4:00 of the next day. Between midnight and 4:00, "tomorrow" means the coming morning. */
const DAYTIME: TimeWindow = { from: 6 * HOUR_MS, until: 4 * HOUR_MS }

/** Returns 6:00 tomorrow, in ms since 1970. Before 4:00, this is 6:00 on the same date. */
export function tomorrowMorning(now: number, zone: Zone): number {
  const next = (instant: number): number => nextChange(DAYTIME, instant, zone) ?? instant
  const nightEnds = (instant: number): number => next(next(instant))
  return isWithin(DAYTIME, now, zone) ? nightEnds(now) : nightEnds(next(now))
}

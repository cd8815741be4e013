/** Formats dates for the list and the details, and the countdown until the app quits or the computer sleeps. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { DAY_MS } from '../../shared/durations.ts'
import { viewTranslation, type App } from './app.ts'

/** Sections of the history: one per day for the last week, one per month before that. */
export type DateSection =
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' }
  /** `at`: ms since 1970, local midnight of the day or of the first day of the month. */
  | { readonly kind: 'day'; readonly at: number }
  | { readonly kind: 'month'; readonly at: number }

const DAYS_SHOWN = 7

const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0)

/** Counts calendar days, rounded because a day has 23 or 25 hours when the clocks change. */
const daysBetween = (earlier: number, later: number): number => Math.round((later - earlier) / DAY_MS)

export function dateSection(at: number, now: number): DateSection {
  const day = midnight(at)
  const days = daysBetween(day, midnight(now))
  // A record from the future means that the clock was set back.
  if (days <= 0) return { kind: 'today' }
  if (days === 1) return { kind: 'yesterday' }
  if (days < DAYS_SHOWN) return { kind: 'day', at: day }
  return { kind: 'month', at: new Date(new Date(day).getFullYear(), new Date(day).getMonth(), 1).getTime() }
}

/** "Today 12:04", "Yesterday 18:07", "12 November 17:20" */
export function when(app: App, at: number): string {
  const t = app.t.value
  const time = t.timeOfDay(at)
  const now = app.now()
  const { kind } = dateSection(at, now)
  if (kind === 'today' || kind === 'yesterday') return t.phrases[kind]({ time })
  return t.phrases.on({ date: t.day(at, now), time })
}

/** "today 12:04", for the middle of a sentence. */
export function whenWithin(app: App, at: number): string {
  const { kind } = dateSection(at, app.now())
  const t = viewTranslation(app)
  if (kind !== 'today' && kind !== 'yesterday') return when(app, at)
  return t.hookResult[kind]({ time: t.timeOfDay(at) })
}

/** Returns a time of day as the user's locale writes it. @param time such as `22:00` */
export const shownTime = (time: string, t: WindowTranslation): string =>
  t.timeOfDay(new Date(`2026-01-01T${time}`).getTime())

/** Formats the date, and the time with seconds. */
export const exactTime = (app: App, at: number): string =>
  new Intl.DateTimeFormat(app.t.value.locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(at)

/** Returns ms until the app quits or the computer sleeps, at least 0. */
export const endingLeft = (app: App): number =>
  Math.max(0, (app.state.ending.value?.at ?? app.now()) - app.now())

/** "Mediatray quits in 30 s", in whole seconds. */
export function endingSentence(app: App): string {
  const time = app.t.value.duration(Math.ceil(endingLeft(app) / 1000) * 1000)
  const texts = app.t.value.ending
  return app.state.ending.value?.action === 'sleep' ? texts.sleep({ time }) : texts.quit({ time })
}

/** How the history is divided: single days for the last week, months before. */
export type DateSection =
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' }
  /** `at`: ms since 1970, midnight of the day or of the month's first day, local time. */
  | { readonly kind: 'day'; readonly at: number }
  | { readonly kind: 'month'; readonly at: number }

const DAYS_SHOWN = 7

const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0)

/** Calendar days, not spans of 24 hours: a day of a clock change has 23 or 25. */
const daysBetween = (earlier: number, later: number): number => Math.round((later - earlier) / 86_400_000)

export function dateSection(at: number, now: number): DateSection {
  const day = midnight(at)
  const days = daysBetween(day, midnight(now))
  // A record from the future stems from a clock that was set back.
  if (days <= 0) return { kind: 'today' }
  if (days === 1) return { kind: 'yesterday' }
  if (days < DAYS_SHOWN) return { kind: 'day', at: day }
  return { kind: 'month', at: new Date(new Date(day).getFullYear(), new Date(day).getMonth(), 1).getTime() }
}

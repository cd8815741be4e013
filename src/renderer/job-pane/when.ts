import { dateSection } from '../list/date-section.ts'
import type { App } from '../store/app.ts'

/** "Today 12:04", "Yesterday 18:07", "12 November 17:20" */
export function when(app: App, at: number): string {
  const t = app.t.value
  const time = t.timeOfDay(at)
  const now = app.now()
  const { kind } = dateSection(at, now)
  if (kind === 'today' || kind === 'yesterday') return t.phrases[kind]({ time })
  return t.phrases.on({ date: t.day(at, now), time })
}

/** With seconds, as facts are. */
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

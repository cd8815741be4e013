/**
 * How things are said: one place for the tray, the notifications, the command line and the window. Pure; the language comes
 * in from outside.
 */
import { createFormatter, fill, type Catalogue, type Message, type Values } from './translate.ts'
import type { common as english } from './en/common.ts'

export type Language = 'en' | 'de'

export type Say<Texts> = <Key extends keyof Texts>(key: Key, ...values: Values<Texts[Key]>) => string

/** What the list, the tray and the command line say alike, in every language. */
export type CommonTexts = Readonly<Record<keyof typeof english, Message>>

/** How numbers, times and the common texts are said. */
export interface CommonWording {
  readonly language: Language
  /** For numbers, dates and sorting; may have a region that the language has not. */
  readonly locale: string
  readonly say: Say<typeof english>
  /** "29 %"; `share` is 0..1, rounded down so that 100 % means the end. */
  percent(share: number): string
  /** "4.1 MB", in thousands. */
  size(bytes: number): string
  /** "3 min 12 s"; below a second "1 s", above an hour without seconds. */
  duration(ms: number): string
  /** "about 2 min left": rounded up, and no seconds above one minute. */
  timeLeft(ms: number, where?: 'start'): string
  /** "2nd" */
  ordinal(place: number): string
  number(value: number): string
  /** "14:32" */
  timeOfDay(time: number): string
  /** "17 November", with the year when it is another one than that of `now`. */
  day(time: number, now: number): string
  /** "October 2026" */
  month(time: number): string
}

/** The language of the catalogue that fits best; English where none does. */
export function languageFor(locale: string): Language {
  const base = locale.toLowerCase().split(/[-_]/)[0]
  return base === 'de' ? 'de' : 'en'
}

/** The locale itself, or `en` where Intl doesn't know it. */
export const knownLocale = (locale: string): string => (isLocale(locale) ? locale : 'en')

/**
 * @param texts in the language of the locale
 * @param locale a BCP 47 tag such as `en-GB`; one that Intl doesn't know falls back to `en`
 * @param timeZone for tests; the system's own otherwise
 */
export function wordingIn(texts: CommonTexts, locale: string, timeZone?: string): CommonWording {
  const known = knownLocale(locale)
  const language = languageFor(known)
  const catalogue: Catalogue = texts
  const formatter = createFormatter(known)
  const percents = new Intl.NumberFormat(known, { maximumFractionDigits: 0 })
  const sizes = (digits: number) =>
    new Intl.NumberFormat(known, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const date = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(known, timeZone === undefined ? options : { ...options, timeZone })
  const ordinals = new Intl.PluralRules(known, { type: 'ordinal' })
  const clock = date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const days = date({ day: 'numeric', month: 'long' })
  const daysOfYear = date({ day: 'numeric', month: 'long', year: 'numeric' })
  const months = date({ month: 'long', year: 'numeric' })
  const years = date({ year: 'numeric' })

  const text = (key: string, values: Readonly<Record<string, string | number>> = {}): string =>
    fill(catalogue[key] ?? '', values, formatter)

  function duration(ms: number): string {
    const total = Math.max(1, Math.round(ms / 1000))
    const hours = Math.floor(total / 3600)
    const minutes = Math.floor((total % 3600) / 60)
    const seconds = total % 60
    if (hours > 0) {
      return minutes === 0 ? text('time.hours', { hours }) : text('time.hoursMinutes', { hours, minutes })
    }
    if (minutes === 0) return text('time.seconds', { seconds })
    return seconds === 0
      ? text('time.minutes', { minutes })
      : text('time.minutesSeconds', { minutes, seconds: String(seconds).padStart(2, '0') })
  }

  return {
    language,
    locale: known,
    say: (key, ...values) => text(key, values[0]),
    number: (value) => formatter.number(value),
    // 0.29 * 100 is a little less than 29.
    percent: (share) => `${percents.format(Math.floor(Math.min(1, Math.max(0, share)) * 100 + 1e-9))} %`,
    size(bytes) {
      const units = ['B', 'kB', 'MB', 'GB', 'TB']
      let value = bytes
      let unit = 0
      while (value >= 999.5 && unit < units.length - 1) {
        value /= 1000
        unit += 1
      }
      return `${sizes(unit === 0 || value >= 99.95 ? 0 : 1).format(value)} ${units[unit] ?? ''}`
    },
    duration,
    timeLeft(ms, where) {
      const time = duration(ms > 60_000 ? Math.ceil(ms / 60_000) * 60_000 : Math.ceil(ms / 1000) * 1000)
      return text(where === 'start' ? 'time.leftStart' : 'time.left', { time })
    },
    ordinal(place) {
      if (language !== 'en') return `${formatter.number(place)}.`
      const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
      return `${formatter.number(place)}${endings[ordinals.select(place)] ?? 'th'}`
    },
    timeOfDay: (time) => clock.format(time),
    day: (time, now) => (years.format(time) === years.format(now) ? days : daysOfYear).format(time),
    month: (time) => months.format(time),
  }
}

function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}

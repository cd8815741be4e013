/** Locale-aware formatting of numbers, sizes, durations and dates. */
import { once } from '../once.ts'
import type { Language, Spoken } from './catalog.ts'
import { isolateIn, markedIn } from './direction.ts'
import type { Texts } from './texts.ts'
import type { Translated } from './translate.ts'

export type Format = ReturnType<typeof createFormat>

/**
 * Returns the best match for a locale among the languages that have a catalog; English if none matches. Numbers and dates get the wanted
 * locale, even if its language has no catalog.
 * @param wanted a BCP 47 tag such as `en-GB`, or a system's form such as `de_AT.UTF-8`; one that Intl can't parse counts as `en`
 */
export function spokenFor(wanted: string, languages: readonly Language[]): Spoken {
  const locale = localeOf(wanted.replace(/[.@].*/, '').replaceAll('_', '-'))
  const { baseName, language, script } = locale.maximize()
  const matching = (fits: (full: Intl.Locale) => boolean) =>
    languages.find((tag) => fits(new Intl.Locale(tag).maximize()))
  const found =
    matching((full) => full.baseName === baseName) ??
    matching((full) => full.language === language && full.script === script)
  return { language: found ?? 'en', locale: locale.baseName }
}

/**
 * Returns the language and locale for the language setting. If the chosen language is the system's, uses the system's region, too. A
 * language without a catalog counts as `system`.
 * @param chosen a language, or `system`
 * @param system the system's locale
 */
export function chosenSpoken(chosen: string, system: string, languages: readonly Language[]): Spoken {
  const usual = spokenFor(system, languages)
  const isOther = chosen !== usual.language && languages.includes(chosen)
  return isOther ? spokenFor(chosen, languages) : usual
}

/** Matches the end of a sentence in any of the languages, with or without a closing quotation mark. */
const ENDED = /[.!?…。！？؟]['"”“»」』]?$/

/** Matches the separator in lists that users type, in any language. */
export const TYPED_COMMA = /\s*[,،、，]\s*/

type SizeUnit = 'kB' | 'MB' | 'GB'

function localeOf(tag: string): Intl.Locale {
  try {
    return new Intl.Locale(tag)
  } catch {
    return new Intl.Locale('en')
  }
}

/** Wraps a number or date formatter so that `format` applies `marked` to its text. `formatToParts` is unchanged. */
const markingWith = <Value, Part>(
  marked: (text: string) => string,
  formatter: { format(value: Value): string; formatToParts(value: Value): Part[] },
) => ({
  format: (value: Value): string => marked(formatter.format(value)),
  formatToParts: (value: Value): Part[] => formatter.formatToParts(value),
})

/**
 * Creates the formatters of one locale.
 * @param texts the texts for durations, bytes and punctuation, in the language of the locale
 * @param timeZone for tests; by default the system's
 */
export function createFormat(
  { time, unit: units, punctuation }: Pick<Translated<Texts['common']>, 'time' | 'unit' | 'punctuation'>,
  spoken: Spoken,
  timeZone?: string,
) {
  const { language, locale, isPlain = false } = spoken
  const [isolated, marked] = [isolateIn(spoken), markedIn(spoken)]
  const number = (options: Intl.NumberFormatOptions) =>
    once(() => markingWith(marked, new Intl.NumberFormat(locale, options)))
  const sizesIn = (unit: string) => {
    const withDigits = (digits: number, least = digits) =>
      number({ style: 'unit', unit, minimumFractionDigits: least, maximumFractionDigits: digits })
    return { whole: withDigits(0), exact: withDigits(1), short: withDigits(1, 0) }
  }
  const sizes = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map(sizesIn)
  const amountsIn = (unit: string) => number({ style: 'unit', unit, maximumFractionDigits: 3 })
  const amounts = { kB: amountsIn('kilobyte'), MB: amountsIn('megabyte'), GB: amountsIn('gigabyte') }
  const date = (options: Intl.DateTimeFormatOptions) =>
    once(() =>
      markingWith(
        marked,
        new Intl.DateTimeFormat(locale, timeZone === undefined ? options : { ...options, timeZone }),
      ),
    )
  const numbers = number({})
  const shortNumbers = number({ maximumFractionDigits: 1 })
  const typedNumbers = number({ useGrouping: false, numberingSystem: 'latn', maximumFractionDigits: 20 })
  const percents = number({ style: 'percent', maximumFractionDigits: 0 })
  const clock = date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const days = date({ day: 'numeric', month: 'long' })
  const daysOfYear = date({ day: 'numeric', month: 'long', year: 'numeric' })
  const shortDays = date({ day: 'numeric', month: 'short' })
  const months = date({ month: 'long', year: 'numeric' })
  const years = date({ year: 'numeric' })

  /** "3 min 12 s"; at least "1 s", without seconds from one hour on. */
  function duration(ms: number): string {
    const total = Math.max(1, Math.round(ms / 1000))
    const hours = Math.floor(total / 3600)
    const minutes = Math.floor((total % 3600) / 60)
    const seconds = total % 60
    if (hours > 0) {
      return minutes === 0 ? time.hours({ hours }) : time.hoursMinutes({ hours, minutes })
    }
    if (minutes === 0) return time.seconds({ seconds })
    return seconds === 0
      ? time.minutes({ minutes })
      : time.minutesSeconds({ minutes, seconds: String(seconds).padStart(2, '0') })
  }

  function inUnit(bytes: number) {
    let value = bytes
    let formats: (typeof sizes)[number] | undefined
    for (const larger of sizes) {
      if (value < 999.5) break
      value /= 1000
      formats = larger
    }
    return { value, formats }
  }

  /**
   * @param wholeFrom the smallest value shown without decimals
   * @param below how to show smaller values: with one decimal, or without it if it is 0
   */
  function sizeWith(bytes: number, wholeFrom: number, below: 'exact' | 'short' = 'exact'): string {
    const { value, formats } = inUnit(bytes)
    if (formats === undefined) return isolated(units.bytes({ count: Math.round(value) }))
    return isolated(formats[value >= wholeFrom ? 'whole' : below]().format(value))
  }

  const shortSize = (bytes: number): string => sizeWith(bytes, 99.95, 'short')

  const sentence = (text: string): string => (ENDED.test(text) ? text : text + punctuation.period)

  return {
    language,
    /** The locale for numbers, dates and sorting. May name a region that has no separate translation, such as de-AT. */
    locale,
    isPlain,
    number: (value: number): string => numbers().format(value),
    /** "1024.5": a number for a text field, without grouping and with digits that the field can read. */
    typedNumber: (value: number): string => typedNumbers().format(value),
    /** "29%" or "140%"; `ratio` is 1 for 100%. */
    proportion: (ratio: number): string => percents().format(ratio),
    /** "29%"; `share` is 0..1, rounded down so that only a finished job shows 100%. */
    percent: (share: number): string =>
      // The small addend is needed because 0.29 * 100 is slightly less than 29.
      percents().format(Math.floor(Math.min(1, Math.max(0, share)) * 100 + 1e-9) / 100),
    /** "4.1 MB", with decimal units. */
    size: (bytes: number): string => sizeWith(bytes, 99.95),
    /** "68 MB" or "9 MB", for estimates: rounded, so that the number doesn't suggest precision. */
    roughSize: (bytes: number): string => sizeWith(bytes, 9.95, 'short'),
    /** "4.1 MB" or "4 MB" */
    shortSize,
    /** "7" and "12 MB", or "900 kB" and "1.2 MB": the ends of a range, without the first unit if both are the same. */
    sizeRange(low: number, high: number): { readonly from: string; readonly to: string } {
      const [start, end] = [inUnit(low), inUnit(high)]
      const isSame = start.formats !== undefined && start.formats === end.formats
      return {
        from: isSame ? shortNumbers().format(start.value) : shortSize(low),
        to: shortSize(high),
      }
    },
    /** "1 GB", for limits: without decimals. */
    sizeLimit: (bytes: number): string => sizeWith(bytes, 0),
    /** "1.25 GB": an amount in the given unit, without conversion to another unit. */
    sizeIn: (amount: number, unit: SizeUnit): string => isolated(amounts[unit]().format(amount)),
    /** "MB", next to a field. */
    sizeUnit: (unit: SizeUnit): string =>
      amounts[unit]()
        .formatToParts(1)
        .find(({ type }) => type === 'unit')?.value ?? unit,
    duration,
    /** "about 2 min left": rounded up, without seconds above one minute. */
    timeLeft(ms: number, where?: 'start'): string {
      const left = duration(ms > 60_000 ? Math.ceil(ms / 60_000) * 60_000 : Math.ceil(ms / 1000) * 1000)
      return where === 'start' ? time.leftStart({ time: left }) : time.left({ time: left })
    },
    /** "2nd" */
    ordinal: (count: number): string => time.ordinal({ count }),
    /** "14:32". `at` is in ms since 1970, here and in the functions below. */
    timeOfDay: (at: number): string => clock().format(at),
    /** "14:32" in a sentence such as "until 14:32", with the article that some languages need: "hasta las 14:32", "hasta la 1:05". */
    clockTime(at: number): string {
      const hour = clock()
        .formatToParts(at)
        .find(({ type }) => type === 'hour')?.value
      return time[Number(hour) === 1 ? 'atOne' : 'atHour']({ time: clock().format(at) })
    },
    /** "17 November", with the year if it differs from that of `now`. */
    day: (at: number, now: number): string =>
      (years().format(at) === years().format(now) ? days : daysOfYear)().format(at),
    /** "17 Nov" */
    shortDay: (at: number): string => shortDays().format(at),
    /** "October 2026" */
    month: (at: number): string => months().format(at),
    /** "Web 2048, Mail" */
    listed: (parts: readonly string[]): string => parts.join(punctuation.comma),
    /** "Photos: Web 2048" */
    labeled: (label: string, text: string): string => `${label}${punctuation.colon}${text}`,
    /** Adds a period unless the text already ends a sentence. */
    sentence,
    /** Joins texts, each as a sentence. Omits empty ones. */
    sentences: (parts: readonly string[]): string =>
      parts.filter(Boolean).map(sentence).join(punctuation.betweenSentences),
  }
}

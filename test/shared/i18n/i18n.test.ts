import { describe, expect, it, vi } from 'vitest'
import { sizeRange } from '../../../src/shared/i18n/estimates.ts'
import { spokenFor } from '../../../src/shared/i18n/format.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { quietWords } from '../../../src/shared/i18n/sentences.ts'
import { splitName } from '../../../src/shared/characters.ts'
import { shortId, shortPath, jobName } from '../../../src/shared/i18n/names.ts'
import { windowTranslation } from '../../window-translation.ts'

const english = createTranslation('en-GB', 'UTC')
const german = createTranslation('de-DE', 'UTC')
const MINUTE = 60_000

it('puts sentences one after the other without the empty ones', () => {
  expect(english.sentences(['Web 2048', ''])).toBe('Web 2048.')
  expect(createTranslation('ja-JP', 'UTC').sentences(['Web 2048', ''])).toBe('Web 2048。')
})

describe('number formatting', () => {
  it('shows sizes in powers of a thousand, with one decimal place if it is significant', () => {
    const sizes = [0, 999, 1_000, 4_130_000, 99_949_000, 99_960_000, 999_600, 2_500_000_000]
    expect(sizes.map((bytes) => english.size(bytes)).join(', ')).toBe(
      '0 B, 999 B, 1.0 kB, 4.1 MB, 99.9 MB, 100 MB, 1.0 MB, 2.5 GB',
    )
    expect(german.size(4_130_000)).toBe('4,1 MB')
    const estimated = [999, 4_130_000, 9_000_000, 9_960_000, 68_000_000].map((bytes) =>
      english.roughSize(bytes),
    )
    expect(estimated).toEqual(['999 B', '4.1 MB', '9 MB', '10 MB', '68 MB'])
    const inWindow = windowTranslation('en-GB')
    const ranges = [
      [7_000_000, 12_000_000],
      [900_000, 1_250_000],
      [200, 900],
    ] as const
    expect(ranges.map(([low, high]) => sizeRange({ low, high }, inWindow).text)).toEqual([
      '7 to 12 MB',
      '900 kB to 1.3 MB',
      '200 B to 900 B',
    ])
    expect(sizeRange({ low: 7_010_000, high: 7_020_000 }, inWindow)).toEqual({ text: '7 MB', isRange: false })
  })

  it('shows an amount that the user entered with its unit as the language writes it', () => {
    expect([english.sizeIn(1.25, 'GB'), english.sizeIn(500, 'kB')]).toEqual(['1.25 GB', '500 kB'])
    expect(['fr', 'ko'].map((language) => createTranslation(language).sizeIn(1.5, 'GB'))).toEqual([
      '1,5\u202fGo',
      '1.5GB',
    ])
    expect(['en', 'fr', 'uk'].map((language) => createTranslation(language).sizeUnit('MB'))).toEqual([
      'MB',
      'Mo',
      'МБ',
    ])
  })

  it('shows 100% only at the end, and never more', () => {
    expect([0, 0.299, 0.9999, 1, 7].map((share) => english.percent(share)).join(', ')).toBe(
      '0%, 29%, 99%, 100%, 100%',
    )
  })

  it('shows durations without unnecessary parts', () => {
    const durations = [0, 12_000, 192_000, 3 * MINUTE, 68_000, 61 * MINUTE, 120 * MINUTE]
    expect(durations.map((ms) => english.duration(ms)).join(', ')).toBe(
      '1 s, 12 s, 3 min 12 s, 3 min, 1 min 08 s, 1 h 1 min, 2 h',
    )
  })

  it('rounds the remaining time up, without seconds above a minute', () => {
    expect([4_200, 59_000, 61_000, 119_000].map((ms) => english.timeLeft(ms)).join(', ')).toBe(
      'about 5 s left, about 59 s left, about 2 min left, about 2 min left',
    )
    expect(german.timeLeft(119_000)).toBe('noch etwa 2 min')
  })

  it('uses the right ordinal suffixes', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101].map((place) => english.ordinal(place)).join(', ')).toBe(
      '1st, 2nd, 3rd, 4th, 11th, 12th, 13th, 21st, 22nd, 101st',
    )
    expect(german.ordinal(2)).toBe('2.')
  })
})

describe('dates', () => {
  const now = Date.UTC(2026, 10, 20, 14, 32)

  it('use the 24-hour clock, and include the year only if it isn’t the current one', () => {
    expect(english.timeOfDay(now)).toBe('14:32')
    expect(english.day(Date.UTC(2026, 10, 17), now)).toBe('17 November')
    expect(english.day(Date.UTC(2025, 10, 17), now)).toBe('17 November 2025')
    expect(german.month(Date.UTC(2026, 9, 1))).toBe('Oktober 2026')
  })

  it('have the article for one o’clock and for other hours in a Spanish sentence', () => {
    const spanish = createTranslation('es', 'UTC')
    const until = (hour: number) =>
      quietWords({ reason: 'time', until: Date.UTC(2026, 10, 20, hour) }, spanish).replace(
        /.* hasta/,
        'hasta',
      )
    expect([1, 13, 21].map(until)).toEqual(['hasta la 01:00', 'hasta las 13:00', 'hasta las 21:00'])
    expect(english.clockTime(now)).toBe('14:32')
  })
})

describe('plurals', () => {
  it('are right in both languages', () => {
    expect([0, 1, 2].map((count) => english.count.photos({ count })).join(', ')).toBe(
      '0 photos, 1 photo, 2 photos',
    )
    expect([0, 1, 2, 1234].map((count) => german.count.jobs({ count })).join(', ')).toBe(
      '0 Aufträge, 1 Auftrag, 2 Aufträge, 1.234 Aufträge',
    )
  })
})

describe('names', () => {
  it('show how many more files there are', () => {
    expect(jobName({ name: 'DSC_4821.heic', files: 24, driveInput: null }, english)).toBe(
      'DSC_4821.heic + 23 more',
    )
    expect(jobName({ name: 'a.mp4', files: 1, driveInput: null }, english)).toBe('a.mp4')
    expect(jobName({ name: '', files: null, driveInput: '1Zq8abcdefghijmUd' }, english)).toBe(
      'Drive folder 1Zq8…mUd',
    )
    expect(shortId('short')).toBe('short')
  })

  it('are split before the last seven characters, never inside a character', () => {
    expect(splitName('DSC_4829_harbour.heic')).toEqual({ head: 'DSC_4829_harbo', tail: 'ur.heic' })
    expect(splitName('a')).toEqual({ head: 'a', tail: '' })
    expect(splitName('👩‍👩‍👧.jpeg.x')).toEqual({ head: '👩‍👩‍👧', tail: '.jpeg.x' })
  })

  it('shorten the home folder, but not folders with a similar name', () => {
    expect(shortPath('/home/ada/Pictures', '/home/ada')).toBe('~/Pictures')
    expect(shortPath('/home/adaline/Pictures', '/home/ada')).toBe('/home/adaline/Pictures')
    expect(shortPath('C:\\Users\\ada\\Bilder', 'C:\\Users\\ada\\')).toBe('~\\Bilder')
  })
})

it('formatters are created on first use, once each', () => {
  const numbers = vi.spyOn(Intl, 'NumberFormat')
  const dates = vi.spyOn(Intl, 'DateTimeFormat')
  const made = () => numbers.mock.calls.length + dates.mock.calls.length
  const t = createTranslation('en-GB', 'UTC')
  expect([t.tray.open, made()]).toEqual([english.tray.open, 0])
  const rows = [0, 1, 2, 3].map((day) => `${t.shortDay(day * 86_400_000)} ${t.size(4_130_000)}`)
  expect(rows.at(-1)).toBe('4 Jan 4.1 MB')
  expect(made()).toBe(2)
  vi.restoreAllMocks()
})

describe('a locale', () => {
  it('uses the best matching language, and English if none matches', () => {
    const languages = ['en', 'de', 'pt-BR', 'zh-Hans', 'zh-Hant']
    const spoken = (locale: string) => spokenFor(locale, languages).language
    expect(['de_AT.UTF-8', 'de-AT'].map(spoken)).toEqual(['de', 'de'])
    expect(['pt-BR', 'pt-PT', 'pt'].map(spoken)).toEqual(['pt-BR', 'pt-BR', 'pt-BR'])
    expect(['zh-CN', 'zh', 'zh-TW', 'zh-HK'].map(spoken)).toEqual([
      'zh-Hans',
      'zh-Hans',
      'zh-Hant',
      'zh-Hant',
    ])
    expect(['fr', 'not a locale', 'C', ''].map(spoken)).toEqual(['en', 'en', 'en', 'en'])
    expect(spokenFor('de_AT.UTF-8', languages).locale).toBe('de-AT')
    expect(createTranslation('not a locale').stage.next).toBe('Next')
  })
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogFaults, missingTexts, unusedTexts } from '../../../scripts/check-catalog.ts'
import { typesOf } from '../../../scripts/text-types.ts'
import { languages, readCatalog } from '../../../src/node/translation.ts'
import { messagesOf, withFallback } from '../../../src/shared/i18n/catalog.ts'
import { english } from '../../../src/shared/i18n/english.ts'
import { createTerminalTranslation } from '../../../src/shared/i18n/i18n.ts'
import type { Texts } from '../../../src/shared/i18n/texts.ts'
import { readSize } from '../../../src/shared/i18n/typed-size.ts'
import { shownSentence } from '../../../src/shared/paths.ts'
import { windowTranslation } from '../../window-translation.ts'
import { translate } from '../../../src/shared/i18n/translate.ts'

const SOURCES = join(import.meta.dirname, '../../../src')
const TYPES = join(SOURCES, 'shared/i18n/texts.ts')

describe.each(languages())('the catalog %s', (language) => {
  it('has the placeholders of the English texts, and all plural categories', () => {
    expect(catalogFaults(readCatalog(language), english, language)).toEqual([])
  })
})

it.each(languages())('units of sizes come with the numbers, not from the catalog %s', (language) => {
  const t = windowTranslation(language)
  const units = (['kB', 'MB', 'GB'] as const).flatMap((unit) => [unit, t.sizeUnit(unit)])
  const withUnit = new RegExp(
    `(?:\\d|\\}\\})\\s*(?:${[...units, 'KB', 'ko', 'ك.ب'].join('|').replaceAll('.', '\\.')})(?!\\p{L})`,
    'u',
  )
  const catalog = withFallback(readCatalog(language), english)
  const { under, ...settingHelp } = catalog.terminal.settingHelp
  const areas = [...Object.values(catalog).flatMap((part) => Object.values(part)), settingHelp]
  const texts = areas
    .filter((area) => area !== catalog.terminal.settingHelp)
    .flatMap((area) => Object.values(area))
  expect(texts.filter((text) => withUnit.test(text))).toEqual([])
  // The example of an option can be typed.
  const [example = ''] = /500[^\s，、،)）,]*/u.exec(under ?? '') ?? []
  expect(readSize(example, 'B', t)).toBe(500_000)
})

describe('the English catalog', () => {
  it('has the types of its texts in the sources; otherwise, run: npm run texts', () => {
    // The formatter breaks long lines.
    const [written, expected] = [readFileSync(TYPES, 'utf8'), typesOf(english)].map((text) =>
      text.replaceAll(/\s+/g, '').replaceAll(':|', ':'),
    )
    expect(written === expected).toBe(true)
  })

  it('has only texts that the code uses', () => {
    const sources = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
      .map((file) => join(SOURCES, file))
      .filter((file) => file !== TYPES)
    expect(
      unusedTexts(
        english,
        sources.map((file) => readFileSync(file, 'utf8')),
      ),
    ).toEqual([])
  })
})

it.each(languages())(
  'the command line has no invisible marks in %s, and notifications show none',
  (language) => {
    const t = createTerminalTranslation(withFallback(readCatalog(language), english), {
      language,
      locale: language,
    })
    const values = new Proxy({}, { get: (_, name) => (name === 'count' ? 2 : '/a') })
    const shown = (area: object) =>
      Object.values(area).map((text: unknown) =>
        typeof text === 'function' ? String(text(values)) : String(text),
      )
    const areas = ['common', 'window', 'failures', 'losses', 'views', 'studio', 'terminal'] as const
    const names = areas.flatMap((part) => Object.keys(english[part]))
    const texts = names.flatMap((name) => shown((t as unknown as Record<string, object>)[name] ?? {}))
    expect(texts.length).toBeGreaterThan(1_000)
    const all = [...texts, t.percent(0.29), t.size(4.1e6), t.timeLeft(9_000), t.shortDay(0)]
    expect(all.filter((text) => /\p{Bidi_Control}/u.test(text))).toEqual([])
    // Notifications mark misleading characters, but keep isolates in pairs.
    const failures = translate<Texts['failures']>(withFallback(readCatalog(language), english).failures, {
      language,
      locale: language,
    })
    expect(shown(failures.failure).filter((text) => shownSentence(text) !== text)).toEqual([])
  },
)

it('German has every text', () => {
  expect(missingTexts(readCatalog('de'), english)).toEqual([])
})

describe('a check', () => {
  const original = {
    a: {
      b: {
        plain: 'Yes',
        named: 'In {{folder}}',
        files_one: '{{count}} file',
        files_other: '{{count}} files',
      },
    },
  }
  const faults = (b: Record<string, string>, language = 'pl') =>
    catalogFaults({ a: { b } }, original, language)

  it('finds wrong placeholders', () => {
    expect(faults({ named: 'W {{folder}}' })).toEqual([])
    expect(faults({ named: 'W {{name}}' })).toEqual([
      'a.b.named lacks {{folder}}',
      'a.b.named has an unknown {{name}}',
    ])
    expect(faults({ named: 'W {{folder}} {{ folder }}' })).toEqual(['a.b.named has a damaged placeholder'])
  })

  it('finds missing and unknown plural categories', () => {
    const forms = { files_one: '{{count}} zdjęcie', files_other: '{{count}} zdjęcia' }
    expect(faults({ ...forms, files_few: '{{count}} zdjęcia', files_many: '{{count}} zdjęć' })).toEqual([])
    expect(faults(forms)).toEqual(['a.b.files lacks _few', 'a.b.files lacks _many'])
    expect(faults(forms, 'ja')).toEqual(['a.b.files has the form _one, which the language doesn’t use'])
    expect(faults({ files: '{{count}}' })).toEqual(['a.b.files needs plural forms'])
  })

  it('finds texts that are missing, unknown or unused', () => {
    expect(missingTexts({ a: { b: { plain: 'Tak' } } }, original)).toEqual(['a.b.named', 'a.b.files'])
    expect(faults({ other: 'No' })).toEqual(['a.b.other isn’t in the English catalog'])
    expect(unusedTexts(original, ['t.b.plain', "'named'"])).toEqual(['a.b.files'])
    expect(unusedTexts(original, ['`${kind}es`', 't.b.plain + t.b.named'])).toEqual([])
  })
})

describe('a text', () => {
  it('has the plural forms of its language, for numbers and for places in a list', () => {
    const forms = {
      files_one: '{{count}} zdjęcie',
      files_few: '{{count}} zdjęcia',
      files_many: '{{count}} zdjęć',
      files_other: '{{count}} zdjęcia',
    }
    const t = translate<{ count: { files: 'count' } }>({ count: forms }, { language: 'pl', locale: 'pl-PL' })
    expect([1, 2, 5, 22, 1.5].map((count) => t.count.files({ count }))).toEqual([
      '1 zdjęcie',
      '2 zdjęcia',
      '5 zdjęć',
      '22 zdjęcia',
      '1,5 zdjęcia',
    ])
    expect(messagesOf({ place_ordinal_one: '{{count}}st' })['place']).toEqual({
      type: 'ordinal',
      forms: { one: '{{count}}st' },
    })
  })

  it('is in English if its language lacks it', () => {
    const { common } = withFallback({ common: { stage: { next: 'Następne' } } }, english)
    expect(common.stage).toMatchObject({ next: 'Następne', working: 'Working' })
    expect(common.count).toEqual(english.common.count)
  })
})

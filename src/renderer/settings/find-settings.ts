/** Finds settings by their names, explanations, values and everyday words. */
import { TYPED_COMMA } from '../../shared/i18n/format.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import type { App } from '../store/app.ts'
import { isSettingsPage, pageOf, SETTINGS_PAGES, type SettingsPage } from '../store/route.ts'
import { SETTING_INDEX, type SettingEntry } from './setting-index.ts'
import type { SettingName } from './setting-names.ts'

export type FoundSetting = Pick<SettingEntry, 'place' | 'control'> & {
  readonly name: SettingName
  readonly page: SettingsPage
  readonly label: string
  /** "Automation > After a job" */
  readonly path: string
  readonly value: string
  /** The everyday words that matched; null if the setting's texts matched. */
  readonly foundBy: string | null
}

/** Characters that can't be decomposed into a base letter and a mark, with the text that is often typed for them. */
const TYPED_AS: Readonly<Record<string, string>> = {
  ł: 'l',
  ı: 'i',
  ß: 'ss',
  ة: 'ه',
  ى: 'ي',
  '’': "'",
}

/**
 * Returns text in lower case and without accents, because many users type without them. Keeps the marks of Japanese kana, and converts
 * full-width and half-width characters, which Japanese keyboards type, to their normal width.
 */
export const folded = (text: string, locale: string): string =>
  text
    .toLocaleLowerCase(locale)
    .replaceAll(/[\uff01-\uff9f]+/gu, (typed) => typed.normalize('NFKC'))
    .normalize('NFD')
    .replaceAll(/(?![\u3099\u309a])\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll(/[łıßةى’]/gu, (letter) => TYPED_AS[letter] ?? letter)

const NAMES = Object.keys(SETTING_INDEX) as readonly SettingName[]

/**
 * Returns the settings that are shown now and match every word of the query. Matches by name come first, then by explanation, value or
 * page, then by everyday words.
 */
export function findSettings(app: App, t: SettingsTranslation, query: string): readonly FoundSetting[] {
  const plain = (text: string): string => folded(text, t.locale)
  const asked = plain(query).split(/\s+/).filter(Boolean)
  if (asked.length === 0) return []
  const isIn = (...texts: readonly string[]): boolean =>
    asked.every((word) => plain(texts.join('\n')).includes(word))
  const ranked = NAMES.flatMap((name) => {
    const entry = SETTING_INDEX[name]
    if (entry.isShown?.(app) === false) return []
    const shown = describe(app, t, name)
    const texts = [...entry.texts(t), shown.value, shown.path]
    const everyday = t.settingWords[name].split(TYPED_COMMA)
    const foundBy = isIn(...texts) ? null : everyday.find((words) => isIn(words, ...texts))
    const rank = isIn(shown.label) ? 0 : foundBy === null ? 1 : 2
    return foundBy === undefined ? [] : [{ ...shown, foundBy, rank }]
  })
  return ranked.toSorted(
    (a, b) => a.rank - b.rank || SETTINGS_PAGES.indexOf(a.page) - SETTINGS_PAGES.indexOf(b.page),
  )
}

function describe(app: App, t: SettingsTranslation, name: SettingName): Omit<FoundSetting, 'foundBy'> {
  const { place, control, texts, value } = SETTING_INDEX[name]
  const settings = app.state.settings.value
  const page = isSettingsPage(place) ? place : pageOf(place)
  const path = [t.settings[page], ...(isSettingsPage(place) ? [] : [t.subpages[place]])].join(' > ')
  const stored: unknown = Reflect.get(settings, name)
  const onOff = typeof stored === 'boolean' ? t.settingSearch[stored ? 'on' : 'off'] : ''
  const [label] = texts(t)
  return { name, place, control, page, path, label, value: value?.({ app, settings, t }) ?? onOff }
}

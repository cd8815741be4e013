/** All that a person reads, in the languages that the app speaks: `t.area.name`, and numbers and dates beside it. */
import { common as commonDe } from './de/common.ts'
import { desktop as desktopDe } from './de/desktop.ts'
import { common as commonEn } from './en/common.ts'
import { desktop as desktopEn } from './en/desktop.ts'
import type { window as windowEn } from './en/window.ts'
import { createFormat, knownLocale, languageFor, type Format, type Language } from './format.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type CommonTexts = typeof commonEn
type AppTexts = CommonTexts & typeof desktopEn
type AllWindowTexts = CommonTexts & typeof windowEn

/** What the list, the tray, the notifications and the command line say alike. */
export type CommonTranslation = Translated<CommonTexts> & Format
/** What the app says outside of its window as well. */
export type Translation = Translated<AppTexts> & Format
/** What the window says as well. */
export type WindowTranslation = Translated<AllWindowTexts> & Format

/** All that the window says, in one language. */
export type WindowTexts = SameTexts<AllWindowTexts>

/**
 * @param locale a BCP 47 tag such as `en-GB`; one that Intl doesn't know falls back to `en`
 * @param timeZone for tests; the system's own otherwise
 */
export function createTranslation(locale: string, timeZone?: string): Translation {
  const known = knownLocale(locale)
  const texts = languageFor(known) === 'de' ? { ...commonDe, ...desktopDe } : { ...commonEn, ...desktopEn }
  const t = translate<AppTexts>(texts, known)
  return Object.assign(t, createFormat(t.time, known, timeZone))
}

/** The window loads its texts when it opens, and only in the language that it speaks. */
export async function loadWindowTexts(language: Language): Promise<WindowTexts> {
  const { common, window } = await (language === 'de' ? import('./de/window.ts') : import('./en/window.ts'))
  return { ...common, ...window }
}

/** @param texts in the language of the locale */
export function createWindowTranslation(texts: WindowTexts, locale: string): WindowTranslation {
  const known = knownLocale(locale)
  const t = translate<AllWindowTexts>(texts, known)
  return Object.assign(t, createFormat(t.time, known))
}

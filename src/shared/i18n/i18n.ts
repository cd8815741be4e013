/** Entry point for all user-visible texts: `t.area.name`, plus locale-aware formatting. */
import { common as commonDe } from './de/common.ts'
import { desktop as desktopDe } from './de/desktop.ts'
import { failures as failuresDe } from './de/failures.ts'
import { losses as lossesDe } from './de/losses.ts'
import { common as commonEn } from './en/common.ts'
import { desktop as desktopEn } from './en/desktop.ts'
import { failures as failuresEn } from './en/failures.ts'
import { losses as lossesEn } from './en/losses.ts'
import type { window as windowEn } from './en/window.ts'
import { createFormat, knownLocale, languageFor, type Format, type Language } from './format.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type CommonTexts = typeof commonEn & typeof failuresEn & typeof lossesEn
type AppTexts = CommonTexts & typeof desktopEn
type AllWindowTexts = CommonTexts & typeof windowEn

/** Texts shared by the list, the tray, the notifications and the command line. */
export type CommonTranslation = Translated<CommonTexts> & Format
/** The common texts and the texts shown outside the window. */
export type Translation = Translated<AppTexts> & Format
/** The common texts and the window's texts. */
export type WindowTranslation = Translated<AllWindowTexts> & Format

/** All texts of the window in one language. */
export type WindowTexts = SameTexts<AllWindowTexts>

/**
 * Creates the translation for everything outside the window.
 * @param locale a BCP 47 tag such as `en-GB`; one that Intl doesn't know falls back to `en`
 * @param timeZone for tests; by default the system's
 */
export function createTranslation(locale: string, timeZone?: string): Translation {
  const known = knownLocale(locale)
  const texts =
    languageFor(known) === 'de'
      ? { ...commonDe, ...desktopDe, ...failuresDe, ...lossesDe }
      : { ...commonEn, ...desktopEn, ...failuresEn, ...lossesEn }
  const t = translate<AppTexts>(texts, known)
  return Object.assign(t, createFormat(t.time, known, timeZone))
}

/** Loads the window's texts, in its language only. */
export async function loadWindowTexts(language: Language): Promise<WindowTexts> {
  const { common, failures, losses, window } = await (language === 'de'
    ? import('./de/window.ts')
    : import('./en/window.ts'))
  return { ...common, ...failures, ...losses, ...window }
}

/**
 * Creates the window's translation.
 * @param texts in the language of the locale
 */
export function createWindowTranslation(texts: WindowTexts, locale: string): WindowTranslation {
  const known = knownLocale(locale)
  const t = translate<AllWindowTexts>(texts, known)
  return Object.assign(t, createFormat(t.time, known))
}

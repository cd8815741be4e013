/** Texts of the settings, the Drive folder picker and the first-run screen. The window loads them in its language after the first paint. */
import type { settings as settingsEn } from './en/settings.ts'
import type { Language } from './format.ts'
import type { WindowTranslation } from './i18n.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type English = typeof settingsEn

/** All texts in one language. */
export type SettingsTexts = SameTexts<English>

/** The window's texts, and those of the settings. */
export type SettingsTranslation = WindowTranslation & Translated<English>

export async function loadSettingsTexts(language: Language): Promise<SettingsTexts> {
  const { settings } = await (language === 'de' ? import('./de/settings.ts') : import('./en/settings.ts'))
  return settings
}

export const createSettingsTranslation = (texts: SettingsTexts, t: WindowTranslation): SettingsTranslation =>
  Object.setPrototypeOf(translate<English>(texts, t.locale), t)

/** The translations of all user-visible texts: `t.area.name`, plus locale-aware formatting. */
import type { Catalog, Spoken } from './catalog.ts'
import { createFormat, type Format } from './format.ts'
import type { Texts } from './texts.ts'
import { translate, type Translated } from './translate.ts'

type AppTexts = Texts['common'] & Texts['failures'] & Texts['losses'] & Texts['desktop']
type AllWindowTexts = Texts['common'] & Texts['window']
type ViewTexts = Texts['failures'] & Texts['losses'] & Texts['views']
type TerminalTexts = Texts['studio'] & Texts['terminal']

/** Texts shared by the list, the tray, the notifications and the command line. The window loads those of failures after its first paint. */
export type CommonTranslation = Translated<Texts['common']> & Partial<Translated<Texts['failures']>> & Format
/** The common texts and the texts shown outside the window. */
export type Translation = Translated<AppTexts> & Format
/** The common texts and the texts that the window loads before its first paint. */
export type WindowTranslation = CommonTranslation & Translated<AllWindowTexts>
/** The texts of the window, and of views that load after the first paint. */
export type ViewTranslation = Translated<AllWindowTexts & ViewTexts> & Format
/** The texts of the window, the settings, the Drive folder picker and the first-run screen. */
export type SettingsTranslation = ViewTranslation & Translated<Texts['settings']>
/** Texts of the preset list and the preset editor. */
export type StudioTranslation = Translated<Texts['studio']> & Format
export type RuleTranslation = Translated<Texts['rules']>
/** The texts of the window, its preset editor and the command line. */
export type TerminalTranslation = ViewTranslation & Translated<TerminalTexts>

export type TextsOf<Part extends keyof Catalog> = Pick<Catalog, Part>
export type WindowTexts = TextsOf<'common' | 'window'>

/**
 * Creates the translation for texts outside the window, except for the output of the command line.
 * @param timeZone for tests; by default the system's
 */
export function createAppTranslation(
  { common, desktop, failures, losses }: TextsOf<'common' | 'desktop' | 'failures' | 'losses'>,
  spoken: Spoken,
  timeZone?: string,
): Translation {
  const areas = { ...common, ...desktop, ...failures, ...losses }
  const t = translate<AppTexts>(areas, spoken)
  return Object.assign(t, createFormat(t, spoken, timeZone))
}

export function createWindowTranslation({ common, window }: WindowTexts, spoken: Spoken): WindowTranslation {
  const t = translate<AllWindowTexts>({ ...common, ...window }, spoken)
  return Object.assign(t, createFormat(t, spoken))
}

export const createViewTranslation = (
  { failures, losses, views }: TextsOf<'failures' | 'losses' | 'views'>,
  t: WindowTranslation,
): ViewTranslation => Object.setPrototypeOf(translate<ViewTexts>({ ...failures, ...losses, ...views }, t), t)

export const createSettingsTranslation = (
  { settings }: TextsOf<'settings'>,
  t: ViewTranslation,
): SettingsTranslation => Object.setPrototypeOf(translate<Texts['settings']>(settings, t), t)

export const createStudioTranslation = ({ studio }: TextsOf<'studio'>, t: Format): StudioTranslation =>
  Object.setPrototypeOf(translate<Texts['studio']>(studio, t), t)

export const createRuleTranslation = ({ rules }: TextsOf<'rules'>, spoken: Spoken): RuleTranslation =>
  translate<Texts['rules']>(rules, spoken)

/** Creates the translation for the output of the command line, which is plain text. */
export function createTerminalTranslation(
  catalog: Catalog,
  { language, locale }: Spoken,
): TerminalTranslation {
  const spoken = { language, locale, isPlain: true }
  const t = createViewTranslation(catalog, createWindowTranslation(catalog, spoken))
  const areas = { ...catalog.studio, ...catalog.terminal }
  return Object.setPrototypeOf(translate<TerminalTexts>(areas, spoken), t)
}

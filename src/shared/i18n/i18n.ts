/** The translations of all user-visible texts: `t.area.name`, plus locale-aware formatting. */
import type { Catalog, Spoken } from './catalog.ts'
import { createFormat, type Format } from './format.ts'
import type { Texts } from './texts.ts'
import { translate, type Translated } from './translate.ts'

type CommonTexts = Texts['common'] & Texts['failures']
type AppTexts = CommonTexts & Texts['losses'] & Texts['desktop']
type AllWindowTexts = CommonTexts & Texts['window']
type ViewTexts = Texts['losses'] & Texts['views']
type TerminalTexts = Texts['studio'] & Texts['terminal']

/** Texts shared by the list, the tray, the notifications and the command line. */
export type CommonTranslation = Translated<CommonTexts> & Format
/** The common texts and the texts shown outside the window. */
export type Translation = Translated<AppTexts> & Format
/** The common texts and the texts that the window loads before its first paint. */
export type WindowTranslation = Translated<AllWindowTexts> & Format
/** The texts of the window, and of views that load after the first paint. */
export type ViewTranslation = WindowTranslation & Translated<ViewTexts>
/** The texts of the window, the settings, the Drive folder picker and the first-run screen. */
export type SettingsTranslation = ViewTranslation & Translated<Texts['settings']>
/** Texts of the preset list and the preset editor. */
export type StudioTranslation = Translated<Texts['studio']> & StudioFormat
type StudioFormat = Pick<
  Format,
  | 'language'
  | 'locale'
  | 'size'
  | 'sizeLimit'
  | 'sizeIn'
  | 'sizeUnit'
  | 'number'
  | 'typedNumber'
  | 'listed'
  | 'sentence'
  | 'labeled'
>
/** Texts of watched folders' rules. */
export type RuleTranslation = Translated<Texts['rules']>
/** The texts of the window, its preset editor and the command line. */
export type TerminalTranslation = ViewTranslation & Translated<TerminalTexts>

/** Parts of a catalog. */
export type TextsOf<Part extends keyof Catalog> = Pick<Catalog, Part>
export type WindowTexts = TextsOf<'common' | 'failures' | 'window'>

/**
 * Creates the translation for everything outside the window.
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

export function createWindowTranslation(
  { common, failures, window }: WindowTexts,
  spoken: Spoken,
): WindowTranslation {
  const areas = { ...common, ...failures, ...window }
  const t = translate<AllWindowTexts>(areas, spoken)
  return Object.assign(t, createFormat(t, spoken))
}

export const createViewTranslation = (
  { losses, views }: TextsOf<'losses' | 'views'>,
  t: WindowTranslation,
): ViewTranslation => Object.setPrototypeOf(translate<ViewTexts>({ ...losses, ...views }, t), t)

export const createSettingsTranslation = (
  { settings }: TextsOf<'settings'>,
  t: ViewTranslation,
): SettingsTranslation => Object.setPrototypeOf(translate<Texts['settings']>(settings, t), t)

export const createStudioTranslation = (
  { studio }: TextsOf<'studio'>,
  {
    language,
    locale,
    size,
    sizeLimit,
    sizeIn,
    sizeUnit,
    number,
    typedNumber,
    listed,
    sentence,
    labeled,
  }: StudioFormat,
): StudioTranslation => ({
  ...translate<Texts['studio']>(studio, { language, locale }),
  language,
  locale,
  size,
  sizeLimit,
  sizeIn,
  sizeUnit,
  number,
  typedNumber,
  listed,
  sentence,
  labeled,
})

export const createRuleTranslation = ({ rules }: TextsOf<'rules'>, spoken: Spoken): RuleTranslation =>
  translate<Texts['rules']>(rules, spoken)

export function createTerminalTranslation(catalog: Catalog, spoken: Spoken): TerminalTranslation {
  const t = createViewTranslation(catalog, createWindowTranslation(catalog, spoken))
  const areas = { ...catalog.studio, ...catalog.terminal }
  return Object.setPrototypeOf(translate<TerminalTexts>(areas, spoken), t)
}

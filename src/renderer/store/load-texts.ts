import type { Language } from '../../shared/i18n/catalog.ts'
import type { TextsOf, WindowTexts } from '../../shared/i18n/i18n.ts'

/** The texts of one language, by the script that contains them. Each script is loaded as a whole. */
export type Loaded = {
  readonly window: WindowTexts
  readonly views: TextsOf<'failures' | 'losses' | 'views'>
  readonly settings: TextsOf<'settings'>
  readonly studio: TextsOf<'studio'>
  readonly rules: TextsOf<'rules'>
}

export type LoadTexts = <Name extends keyof Loaded>(name: Name, language: Language) => Promise<Loaded[Name]>

/** Imports a script that the build generates from a catalog. */
export const loadTexts: LoadTexts = async (name, language) =>
  (await import(/* @vite-ignore */ `./${name === 'window' ? '' : `${name}-`}${language}.js`)).default

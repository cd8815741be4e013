/** Reads the catalogs of all languages. They are files next to the code: adding a file adds a language. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Failure } from '../shared/failure/failure.ts'
import {
  messagesOf,
  withFallback,
  type Catalog,
  type Incomplete,
  type Language,
} from '../shared/i18n/catalog.ts'
import { english } from '../shared/i18n/english.ts'
import { describeFailure } from '../shared/i18n/failures.ts'
import { spokenFor } from '../shared/i18n/format.ts'
import { createAppTranslation, type Translation } from '../shared/i18n/i18n.ts'
import { once } from '../shared/once.ts'

const isSource = import.meta.filename.endsWith('.ts')
/** Bundles are in `dist/main` or `dist/main/chunks`. */
const FOLDER = isSource
  ? join(import.meta.dirname, '../shared/i18n/locales')
  : join(import.meta.dirname.replace(/[/\\]chunks$/, ''), '../locales')

export const languages = once((): readonly Language[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json')),
)

export const readCatalog = (language: Language): Incomplete =>
  JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8'))

/** Returns all texts. Those that the language lacks are in English. */
export const catalogOf = (language: Language): Catalog =>
  language === 'en' ? english : withFallback(readCatalog(language), english)

/**
 * Creates the translation for everything outside the window.
 * @param locale a BCP 47 tag such as `en-GB`; one that Intl doesn't know falls back to `en`
 * @param timeZone for tests; by default the system's
 */
export function createTranslation(locale: string, timeZone?: string): Translation {
  const spoken = spokenFor(locale, languages())
  return createAppTranslation(catalogOf(spoken.language), spoken, timeZone)
}

/** Returns the share of texts that each language has, 0..1. */
export function translatedShares(): Readonly<Record<Language, number>> {
  const all = countTexts(english)
  return Object.fromEntries(
    languages().map((language) => [language, countTexts(readCatalog(language)) / all]),
  )
}

const countTexts = (catalog: Incomplete): number =>
  Object.values(catalog)
    .flatMap((part) => Object.values(part))
    .reduce((sum, area) => sum + Object.keys(messagesOf(area)).length, 0)

const translations = once(() => languages().map((language) => createTranslation(language)))

/** Returns a failure's text in every language, for searching. */
export const inEveryLanguage = (failure: Failure): readonly string[] =>
  translations().map((t) => describeFailure(failure, t))

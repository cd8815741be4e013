/** Everything that the app says outside of its window, in the languages that it speaks. */
import { de } from './de/index.ts'
import { en } from './en/index.ts'
import { knownLocale, languageFor, wordingIn, type CommonWording, type Say } from './format.ts'

export type TextKey = keyof typeof en
export type Wording = CommonWording & { readonly say: Say<typeof en> }

/**
 * @param locale a BCP 47 tag such as `en-GB`; one that Intl doesn't know falls back to `en`
 * @param timeZone for tests; the system's own otherwise
 */
export function createWording(locale: string, timeZone?: string): Wording {
  const texts = languageFor(knownLocale(locale)) === 'de' ? de : en
  return wordingIn(texts, locale, timeZone)
}

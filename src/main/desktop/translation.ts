import { app } from 'electron'
import { createTranslation, languages } from '../../node/translation.ts'
import { chosenSpoken } from '../../shared/i18n/format.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'

/** Creates a function that returns the texts in the current language, which can change while the app runs. */
export function translationOf(language: () => string): () => Translation {
  let current: { readonly locale: string; readonly t: Translation } | undefined
  return () => {
    const { locale } = chosenSpoken(language(), app.getLocale(), languages())
    if (current?.locale !== locale) current = { locale, t: createTranslation(locale) }
    return current.t
  }
}

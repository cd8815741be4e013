import { app } from 'electron'
import { createTranslation, type Translation } from '../../shared/i18n/i18n.ts'

/** The language can be changed while the app runs; what is drawn next is in the new one. */
export function translationOf(language: () => 'system' | 'en' | 'de'): () => Translation {
  let made: { readonly locale: string; readonly t: Translation } | undefined
  return () => {
    const chosen = language()
    const locale = chosen === 'system' ? app.getLocale() : chosen
    if (made?.locale !== locale) made = { locale, t: createTranslation(locale) }
    return made.t
  }
}

import { app } from 'electron'
import { createWording, type Wording } from '../../shared/i18n/index.ts'

/** The language can be changed while the app runs; what is drawn next is in the new one. */
export function wordingOf(language: () => 'system' | 'en' | 'de'): () => Wording {
  let made: { readonly locale: string; readonly wording: Wording } | undefined
  return () => {
    const chosen = language()
    const locale = chosen === 'system' ? app.getLocale() : chosen
    if (made?.locale !== locale) made = { locale, wording: createWording(locale) }
    return made.wording
  }
}

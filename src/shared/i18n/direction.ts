import type { Language } from './catalog.ts'

/** The direction in which the language is written. */
export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  (new Intl.Locale(language) as Intl.Locale & TextInfo).getTextInfo().direction

/**
 * Creates a function that isolates the direction of names, paths and sizes from the sentence around them in a language written from right
 * to left. For other languages, the function returns text unchanged.
 */
export const isolateIn = (language: Language): ((text: string) => string) =>
  directionOf(language) === 'rtl' ? (text) => `\u2068${text}\u2069` : (text) => text

/** TypeScript doesn't know this method of ES 2026. */
type TextInfo = { getTextInfo(): { readonly direction: 'ltr' | 'rtl' } }

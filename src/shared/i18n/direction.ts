import type { Language } from './catalog.ts'

export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  (new Intl.Locale(language) as Intl.Locale & TextInfo).getTextInfo().direction

/**
 * Creates a function that isolates the direction of names, paths and sizes from the surrounding sentence. In left-to-right languages, the
 * function returns the text unchanged.
 */
export const isolateIn = (language: Language): ((text: string) => string) =>
  directionOf(language) === 'rtl' ? (text) => `\u2068${text}\u2069` : (text) => text

/** TypeScript doesn't know this method of ES 2026. */
type TextInfo = { getTextInfo(): { readonly direction: 'ltr' | 'rtl' } }

import type { Language, Spoken } from './catalog.ts'

export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  (new Intl.Locale(language) as Intl.Locale & TextInfo).getTextInfo().direction

/**
 * Creates a function that isolates the direction of names, paths and sizes from the surrounding sentence. In left-to-right languages and
 * in plain text, the function returns the text unchanged.
 */
export const isolateIn = ({ language, isPlain = false }: Spoken): ((text: string) => string) =>
  !isPlain && directionOf(language) === 'rtl' ? (text) => `\u2068${text}\u2069` : (text) => text

/** Creates a function that, for plain text, removes marks of direction from a text of the catalog, a number or a date. */
export const markedIn = ({ isPlain = false }: Spoken): ((text: string) => string) =>
  isPlain ? withoutMarks : (text) => text

/** Removes the invisible marks of direction, for text that a user copies. */
export const withoutMarks = (text: string): string => text.replaceAll(/\p{Bidi_Control}/gu, '')

/** TypeScript doesn't know this method of ES 2026. */
type TextInfo = { getTextInfo(): { readonly direction: 'ltr' | 'rtl' } }

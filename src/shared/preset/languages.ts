/** Compares languages of tracks: BCP 47 tags, and the ISO 639 codes that containers use. */

/** Stands for the language in which a video was made. */
export const ORIGINAL = 'original'

/** Returns the canonical form of a language tag; undefined if the text isn't a language tag. */
export function canonicalLanguage(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

/** Splits words that the user separated by commas, semicolons or spaces. */
export const listOf = (text: string): readonly string[] => text.split(/[\s,;]+/).filter((word) => word !== '')

export const isLanguageChoice = (text: string): boolean =>
  text === ORIGINAL || canonicalLanguage(text) !== undefined

/** Returns whether a language is the wanted language or a variety of it: `de-AT` is German, but `de` isn't Austrian German. */
export function isLanguage(language: string | undefined, wanted: string): boolean {
  const [is, asked] = [canonicalLanguage(language ?? 'und'), canonicalLanguage(wanted)]
  return is !== undefined && asked !== undefined && (is === asked || is.startsWith(`${asked}-`))
}

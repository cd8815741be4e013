/** Texts of the preset list and the preset editor. The window loads them in its language when one of the two opens. */
import type { studio as studioEn } from './en/studio.ts'
import type { Format, Language } from './format.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type English = typeof studioEn

/** All texts in one language. */
export type StudioTexts = SameTexts<English>

export type StudioTranslation = Translated<English> & Pick<Format, 'language' | 'locale' | 'size' | 'number'>

export async function loadStudioTexts(language: Language): Promise<StudioTexts> {
  const { studio } = await (language === 'de' ? import('./de/studio.ts') : import('./en/studio.ts'))
  return studio
}

/** Creates the translation. @param format for numbers and sizes, in the language of the texts */
export const createStudioTranslation = (
  texts: StudioTexts,
  format: Pick<Format, 'language' | 'locale' | 'size' | 'number'>,
): StudioTranslation => ({
  ...translate<English>(texts, format.locale),
  language: format.language,
  locale: format.locale,
  size: format.size,
  number: format.number,
})

/** What the list of presets and the studio say. The window reads it when one of them is opened, in its language only. */
import type { studio as studioEn } from './en/studio.ts'
import type { Format, Language } from './format.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type English = typeof studioEn

/** In one language. */
export type StudioTexts = SameTexts<English>

export type StudioTranslation = Translated<English> & Pick<Format, 'language' | 'locale' | 'size' | 'number'>

export async function loadStudioTexts(language: Language): Promise<StudioTexts> {
  const { studio } = await (language === 'de' ? import('./de/studio.ts') : import('./en/studio.ts'))
  return studio
}

/** @param format numbers and sizes, in the language of the texts */
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

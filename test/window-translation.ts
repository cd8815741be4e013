import { catalogOf, languages } from '../src/node/translation.ts'
import { spokenFor } from '../src/shared/i18n/format.ts'
import {
  createViewTranslation,
  createWindowTranslation,
  type ViewTranslation,
} from '../src/shared/i18n/i18n.ts'

/** Creates the translation of the window and its later views without a window. */
export function windowTranslation(locale: string): ViewTranslation {
  const spoken = spokenFor(locale, languages())
  const catalog = catalogOf(spoken.language)
  return createViewTranslation(catalog, createWindowTranslation(catalog, spoken))
}

import { catalogOf, languages } from '../src/node/translation.ts'
import { spokenFor } from '../src/shared/i18n/format.ts'
import { createWindowTranslation, type WindowTranslation } from '../src/shared/i18n/i18n.ts'

/** Creates the window's translation without a window. */
export function windowTranslation(locale: string): WindowTranslation {
  const spoken = spokenFor(locale, languages())
  return createWindowTranslation(catalogOf(spoken.language), spoken)
}

import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Language } from '../../shared/i18n/catalog.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Loaded, LoadTexts } from './load-texts.ts'

/**
 * Loads texts in the window's language when they are first needed.
 * @returns a function that returns the texts, or null while they are loading
 */
export function textsOnDemand<Name extends keyof Loaded, Translation>(
  load: LoadTexts,
  name: Name,
  t: ReadonlySignal<WindowTranslation>,
  create: (texts: Loaded[Name], t: WindowTranslation) => Translation,
): () => Translation | null {
  const loaded = signal<{ readonly texts: Loaded[Name] } | null>(null)
  const words = computed(() => loaded.value && create(loaded.value.texts, t.value))
  let asked: Language | null = null
  return () => {
    const { language } = t.value
    if (asked !== language) {
      asked = language
      void load(name, language).then((texts) => {
        // Texts of a language that was chosen for a moment may arrive last.
        if (asked === language) loaded.value = { texts }
      })
    }
    return words.value
  }
}

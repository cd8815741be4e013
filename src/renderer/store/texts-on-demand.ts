import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Language } from '../../shared/i18n/format.ts'

/**
 * Loads texts in the window's language when they are first needed.
 * @returns a function that returns the texts, or null while they are loading
 */
export function textsOnDemand<Texts, Translation>(
  t: ReadonlySignal<WindowTranslation>,
  load: (language: Language) => Promise<Texts>,
  create: (texts: Texts, t: WindowTranslation) => Translation,
): () => Translation | null {
  const loaded = signal<{ readonly texts: Texts } | null>(null)
  const words = computed(() => loaded.value && create(loaded.value.texts, t.value))
  let asked: Language | null = null
  return () => {
    const { language } = t.value
    if (asked !== language) {
      asked = language
      void load(language).then((texts) => {
        loaded.value = { texts }
      })
    }
    return words.value
  }
}

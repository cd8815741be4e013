import { computed, signal } from '@preact/signals'
import type { Language } from '../../shared/i18n/catalog.ts'
import type { Loaded, LoadTexts } from './load-texts.ts'

/**
 * Loads texts in the window's language when they are first needed.
 * @param base returns the translation that the texts are added to, or null while it is loading
 * @returns a function that returns the texts, or null while they are loading
 */
export function textsOnDemand<
  Name extends keyof Loaded,
  Base extends { readonly language: Language },
  Translation,
>(
  load: LoadTexts,
  name: Name,
  base: () => Base | null,
  create: (texts: Loaded[Name], t: Base) => Translation,
): () => Translation | null {
  const loaded = signal<{ readonly texts: Loaded[Name] } | null>(null)
  const words = computed(() => {
    const t = base()
    return t && loaded.value && create(loaded.value.texts, t)
  })
  let asked: Language | null = null
  return () => {
    const language = base()?.language ?? null
    if (language !== null && asked !== language) {
      asked = language
      load(name, language).then(
        (texts) => {
          // Ignore texts of a language that is no longer chosen, because they may arrive last.
          if (asked === language) loaded.value = { texts }
        },
        () => {
          // The next render tries to load them again.
          if (asked === language) asked = null
        },
      )
    }
    return words.value
  }
}

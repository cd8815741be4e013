import { computed, signal } from '@preact/signals'
import type { Language } from '../../shared/i18n/catalog.ts'
import type { Loaded, LoadTexts } from './load-texts.ts'

/**
 * Loads texts in the window's language when they are first needed.
 * @param base returns the translation that the texts are added to, or null while it is loading
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
) {
  const loaded = signal<{ readonly texts: Loaded[Name] } | null>(null)
  const words = computed(() => {
    const t = base()
    return t && loaded.value && create(loaded.value.texts, t)
  })
  let asked: Language | null = null
  let loading = Promise.resolve()
  const ask = (): Promise<void> => {
    const language = base()?.language ?? null
    if (language === null || asked === language) return loading
    asked = language
    loading = load(name, language).then((texts) => {
      // Texts of a language that is no longer chosen may arrive last.
      if (asked !== language) return loading
      loaded.value = { texts }
      return undefined
    })
    loading.catch(() => {
      // The next render tries to load them again.
      if (asked === language) asked = null
    })
    return loading
  }
  return {
    /** Returns the texts, or null while they are loading. */
    words: (): Translation | null => {
      void ask()
      return words.value
    },
    /** The texts; null until they are loaded. Reading this signal doesn't load them. */
    loaded: words,
    /**
     * Resolves when the texts are loaded. While the base is missing, doesn't start loading them and only waits for an earlier call.
     * @throws if they can't be loaded
     */
    load: ask,
  }
}

import type { App } from '../store/app.ts'

/** Delay in ms between the last change and storing unsaved text. A slider changes the text many times a second. */
const DEBOUNCE_MS = 300

/**
 * Stores unsaved text so that it survives closing the studio.
 * @param name returns the saved name of the preset; null for a new one
 */
export function createUnsavedKeeper(app: App, name: () => string | null) {
  let waiting: { readonly text: string | null } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const keep = async (of: string | null, text: string | null): Promise<void> => {
    await app.attempt(app.bridge.presets.keepUnsaved({ name: of, text }))
  }
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    if (waiting === null) return
    const { text } = waiting
    waiting = null
    await keep(name(), text)
  }
  return {
    /** Stores unsaved text after a delay. @param text null if it equals the saved text */
    soon(text: string | null): void {
      waiting = { text }
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), DEBOUNCE_MS)
    },
    flush,
    /** Discards the unsaved text. Called before the preset is saved. */
    async drop(of: string | null): Promise<void> {
      clearTimeout(timer)
      waiting = null
      await keep(of, null)
    },
  }
}

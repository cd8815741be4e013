import type { App } from '../store/app.ts'

/** A slider that is moved changes the text many times a second; a file is written once it has stood still, ms. */
const STILL_MS = 300

/** Sees to it that what was typed and not saved outlives the studio. */
export type UnsavedKeeper = {
  /** @param text null: it is what is saved */
  soon(text: string | null): void
  /** Now, if something waits. */
  flush(): Promise<void>
  /** It was saved under its name. */
  drop(name: string | null): Promise<void>
}

/** @param name of the preset as it is saved now; null for a new one */
export function createUnsavedKeeper(app: App, name: () => string | null): UnsavedKeeper {
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
    soon(text) {
      waiting = { text }
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), STILL_MS)
    },
    flush,
    async drop(of) {
      clearTimeout(timer)
      waiting = null
      await keep(of, null)
    },
  }
}

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

/** At most one announcement in this time, ms; what comes meanwhile waits, and only the last of it is said. */
const APART_MS = 5_000

export type Announcer = { readonly text: ReadonlySignal<string>; say(text: string): void }

/** The polite live region of the window. */
export function createAnnouncer(now: () => number): Announcer {
  const text = signal('')
  let saidAt = Number.NEGATIVE_INFINITY
  let waiting: string | null = null
  const speak = (words: string): void => {
    saidAt = now()
    // The same words twice would not be a change, and so would not be read.
    text.value = text.value === words ? `${words}\u00a0` : words
  }
  return {
    text,
    say(words) {
      const left = saidAt + APART_MS - now()
      if (left <= 0) {
        speak(words)
        return
      }
      if (waiting === null) {
        setTimeout(() => {
          if (waiting !== null) speak(waiting)
          waiting = null
        }, left)
      }
      waiting = words
    },
  }
}

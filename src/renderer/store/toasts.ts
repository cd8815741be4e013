import { signal, type ReadonlySignal } from '@preact/signals'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'

export type ToastAction = { readonly label: string; readonly run: () => void }

export type Toast = {
  readonly id: number
  readonly text: string
  readonly detail?: string
  readonly actions: readonly ToastAction[]
}

const SHOWN_MS = 6_000

export type Toasts = {
  readonly current: ReadonlySignal<Toast | null>
  show(toast: Omit<Toast, 'id'>): void
  readonly dismiss: () => void
  /** Under the pointer or with the focus inside, it stays. */
  readonly hold: () => void
  readonly release: () => void
}

/** One toast at a time; a new one takes the place of the last. */
export function createToasts(): Toasts {
  const current = signal<Toast | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = 0
  const dismiss = (): void => {
    clearTimeout(timer)
    current.value = null
  }
  const release = (): void => {
    clearTimeout(timer)
    timer = setTimeout(dismiss, SHOWN_MS)
  }
  return {
    current,
    show(toast) {
      last += 1
      current.value = { ...toast, id: last }
      release()
    },
    dismiss,
    hold: () => clearTimeout(timer),
    release,
  }
}

/** Where something was saved; nothing where the dialog was dismissed, or a toast has said already why it failed. */
export function showSaved(
  { toasts, t }: { readonly toasts: Toasts; readonly t: ReadonlySignal<WindowTranslation> },
  saved: { readonly savedAs: string } | null | undefined,
): void {
  if (saved) toasts.show({ text: t.value.actions.saved({ path: saved.savedAs }), actions: [] })
}

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

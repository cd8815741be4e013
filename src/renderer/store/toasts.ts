import { signal, type ReadonlySignal } from '@preact/signals'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'

export type ToastAction = { readonly label: string; readonly run: () => void }

export type Toast = {
  readonly id: number
  /** Bold words before the text. */
  readonly lead: string | null
  readonly text: string
  readonly detail: string | null
  readonly actions: readonly ToastAction[]
}

const SHOWN_MS = 6_000

export type Toasts = ReturnType<typeof createToasts>

/** Shows one toast at a time. A new toast replaces the previous one. */
export function createToasts() {
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
    show(
      text: string,
      { lead = null, detail = null, actions = [] }: Partial<Omit<Toast, 'id' | 'text'>> = {},
    ): void {
      last += 1
      current.value = { id: last, lead, text, detail, actions }
      release()
    },
    dismiss,
    /** Keeps the toast until `release` is called, for example while the user hovers over it. */
    hold: () => clearTimeout(timer),
    release,
  }
}

/** Shows where a file was saved. Does nothing if the dialog was canceled or a toast has reported a failure. */
export function showSaved(
  { toasts, t }: { readonly toasts: Toasts; readonly t: ReadonlySignal<WindowTranslation> },
  saved: { readonly savedAs: string } | null | undefined,
  detail: string | null = null,
): void {
  if (saved) toasts.show(t.value.actions.saved({ path: saved.savedAs }), { detail })
}

/**
 * Minimum time since the last announcement, in ms. If several are requested in that time, only the last is made. A user's action (`soon`)
 * is an exception: `progress` doesn't replace its announcement, and `now` is announced together with it.
 */
const INTERVAL_MS = { now: 0, soon: 5_000, progress: 10_000 } as const

/**
 * Time in ms within which an announcement is added to the previous one. If the announcement replaced the previous one, screen readers
 * wouldn't read both.
 */
const TOGETHER_MS = 1_000

/** Creates the announcer, which fills the window's polite live region. */
export function createAnnouncer(now: () => number) {
  const text = signal('')
  let saidAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The waiting announcement of a user's action. */
  let held: string | undefined
  const speak = (words: string): void => {
    held = undefined
    saidAt = now()
    // Setting the same text again wouldn't change the region, so it wouldn't be announced.
    text.value = text.value === words ? `${words}\u00a0` : words
  }
  return {
    text,
    /**
     * @param when `now` for outcomes and failures, `progress` for running jobs
     * @returns a function that cancels the announcement if it is still waiting
     */
    say(words: string, when: keyof typeof INTERVAL_MS = 'soon'): () => void {
      if (when === 'progress' && held !== undefined) return () => undefined
      clearTimeout(timer)
      const since = now() - saidAt
      const left = INTERVAL_MS[when] - since
      if (left <= 0) {
        const parts = [since < TOGETHER_MS ? text.value : undefined, held, words]
        speak(parts.filter((part) => part !== undefined).join('; '))
        return () => undefined
      }
      held = when === 'soon' ? words : undefined
      const own = setTimeout(() => speak(words), left)
      timer = own
      return () => {
        clearTimeout(own)
        if (timer === own) held = undefined
      }
    },
  }
}

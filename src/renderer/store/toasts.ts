import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
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

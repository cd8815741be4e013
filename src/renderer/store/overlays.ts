import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { IconName } from '../ui/icon.tsx'

export type MenuEntry =
  | {
      readonly kind: 'item'
      readonly label: string
      readonly run: () => void
      readonly icon?: IconName
      readonly keys?: string
      /** Present: the item can be ticked. */
      readonly checked?: boolean
      readonly disabled?: boolean
    }
  | { readonly kind: 'divider' }
  | { readonly kind: 'heading'; readonly label: string }

export type OpenMenu = {
  readonly label: string
  readonly entries: readonly MenuEntry[]
  /** What it belongs to: it stands below, and gets the focus back. */
  readonly anchor: HTMLElement
  /** Where the pointer was, for a context menu, in px of the window. */
  readonly point?: { readonly x: number; readonly y: number }
}

export type OpenDialog =
  | {
      readonly kind: 'confirm'
      readonly title: string
      readonly text: string
      readonly verb: string
      readonly run: () => void
    }
  | { readonly kind: 'driveFolder' }
  | { readonly kind: 'diagnostics' }
  | { readonly kind: 'watchFolder'; readonly id: string | null }

/** What lies over the window: one menu and one dialog at most. */
export type Overlays = {
  readonly menu: Signal<OpenMenu | null>
  readonly dialog: Signal<OpenDialog | null>
}

export const createOverlays = (): Overlays => ({ menu: signal(null), dialog: signal(null) })

import { signal } from '@preact/signals'
import type { IconName } from '../ui/icon.tsx'

export type MenuItem = {
  readonly kind?: undefined
  readonly label: string
  /** A second line that explains the effect. */
  readonly hint?: string
  readonly run: () => void
  readonly icon?: IconName
  readonly keys?: string | undefined
  /** Whether the item is checked. If defined, the item is a checkbox. */
  readonly checked?: boolean
  readonly disabled?: boolean
}

export type MenuEntry =
  | MenuItem
  | { readonly kind: 'divider' }
  | { readonly kind: 'heading'; readonly label: string }

export type OpenMenu = {
  readonly label: string
  readonly entries: readonly MenuEntry[]
  /** The element below which the menu opens. It gets the focus back when the menu closes. */
  readonly anchor: HTMLElement
  /** Pointer position for a context menu, in px of the window. */
  readonly point?: { readonly x: number; readonly y: number } | undefined
}

/** The index of a rule, a new rule, or the row for files that match no rule. */
export type RulePlace = number | 'new' | 'rest'

export type OpenDialog =
  | {
      readonly kind: 'confirm'
      readonly title: string
      readonly text: string
      readonly verb: string
      readonly run: () => void
    }
  | { readonly kind: 'diagnostics' }
  | { readonly kind: 'watchFolder'; readonly id: string | null }
  | { readonly kind: 'receiver'; readonly id: string | null }
  | { readonly kind: 'service'; readonly service: string | null }
  | { readonly kind: 'rule'; readonly folder: string; readonly rule: RulePlace }

export type OpenFolderPicker = {
  /** Called with the ID of the chosen folder. By default, the folder's files become the draft. */
  readonly use?: (folderId: string) => Promise<unknown>
}

/** The open menu, dialog and Drive folder picker, at most one of each. The picker is above the dialog that opened it. */
export const createOverlays = () => ({
  menu: signal<OpenMenu | null>(null),
  dialog: signal<OpenDialog | null>(null),
  folderPicker: signal<OpenFolderPicker | null>(null),
  /** Number of files dragged over the window; 0 if the system doesn't report it, null if nothing is dragged. */
  draggedFiles: signal<number | null>(null),
})
export type Overlays = ReturnType<typeof createOverlays>

/** Whether a menu or dialog is open, which then handles the keys. */
export const isOverlayOpen = ({ menu, dialog, folderPicker }: Overlays): boolean =>
  menu.peek() !== null || dialog.peek() !== null || folderPicker.peek() !== null

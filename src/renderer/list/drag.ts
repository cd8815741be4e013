import type { ReadonlySignal, Signal } from '@preact/signals'
import type { ListLayout } from './list-layout.ts'

export type Drag = {
  /** Index of the row in the list before the move. */
  readonly from: number
  /** Index of the row in the list after the move. */
  readonly to: number
  /** px */
  readonly height: number
  /** Top of its new place, px from the top of the list. */
  readonly line: number
}

/** Returns how far a row is shifted, in px: the dragged row to its new place, other rows to make room for it. */
export function shiftOf(drag: Drag | null, index: number): number {
  if (drag === null) return 0
  const { from, to, height } = drag
  if (index === from) return (to - from) * height
  if (from < index && index <= to) return -height
  return to <= index && index < from ? height : 0
}

export type Draggable = {
  readonly drag: Signal<Drag | null>
  readonly layout: ReadonlySignal<ListLayout>
  readonly hold: () => void
  readonly release: () => void
}

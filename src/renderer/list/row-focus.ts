/** The keyboard in the list: which row has the focus, which one Tab reaches, and where the arrows lead. */
import { useSignal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { showDetails } from '../store/navigation.ts'
import { HEAD_HEIGHT, ROW_HEIGHT, rowId } from './list-layout.ts'
import type { ListLayout, Row, Section } from './list-layout.ts'
import type { View } from './list-view.ts'

type FocusOptions = {
  readonly scroller: RefObject<HTMLElement | null>
  readonly layout: ReadonlySignal<ListLayout>
  readonly view: ReadonlySignal<View>
  /** Rows may move again. */
  readonly release: () => void
}

export type RowFocus = {
  /** The key of the row that has or had the focus. */
  readonly focused: Signal<string | null>
  readonly onKeyDown: (event: KeyboardEvent) => void
}

export function useRowFocus({ scroller, layout, view, release }: FocusOptions): RowFocus {
  const app = useApp()
  const focused = useSignal<string | null>(null)
  /** The index of a row that was gone to and has not been read yet. */
  const pending = useRef<number | null>(null)

  const focusRow = (index: number): void => {
    const rows = layout.peek().rows
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))]
    if (!row) return
    release()
    bringIntoView(scroller.current, layout.peek(), row)
    const id = rowId(row)
    pending.current = id === null && row.content.kind === 'blank' ? row.index : null
    if (pending.current !== null) return
    focused.value = row.key
    if (id !== null) showDetails(app, id, false)
    requestAnimationFrame(() => elementOf(scroller.current, row.key)?.focus({ preventScroll: true }))
  }

  // The row that was gone to has been read by now.
  useLayoutEffect(() => {
    if (pending.current === null) return
    const row = layout.peek().rows[pending.current]
    if (row && row.content.kind !== 'blank') focusRow(pending.current)
  })

  return {
    focused,
    onKeyDown(event) {
      const at = layout.peek().rows.findIndex(({ key }) => key === focused.peek())
      const page = Math.max(1, Math.floor(view.peek().height / ROW_HEIGHT.plain) - 1)
      const last = layout.peek().rows.length - 1
      const next: Partial<Record<string, number>> = {
        ArrowDown: at + 1,
        ArrowUp: at - 1,
        PageDown: at + page,
        PageUp: at - page,
        Home: 0,
        End: last,
      }
      const index = next[event.key]
      if (index !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault()
        focusRow(index)
      }
    },
  }
}

/** One Tab stop: the row that has or had the focus, else the one in the job pane, else the first. */
export function tabStop(layout: ListLayout, focused: string | null, selected: string | null): Row | null {
  const byKey = (key: string | null) => layout.rows.find((row) => row.key === key)
  return (
    byKey(focused) ?? byKey(selected) ?? layout.rows.find(({ content }) => content.kind !== 'blank') ?? null
  )
}

/** The sections in view, and the given row wherever it is. */
export function including(visible: readonly Section[], layout: ListLayout, row: Row): readonly Section[] {
  if (visible.some(({ rows }) => rows.some(({ key }) => key === row.key))) return visible
  const home = layout.sections.find(({ rows }) => rows.some(({ key }) => key === row.key))
  if (!home) return visible
  const there = visible.find(({ key }) => key === home.key)
  if (!there)
    return row.index < (visible[0]?.rows[0]?.index ?? 0)
      ? [{ ...home, rows: [row] }, ...visible]
      : [...visible, { ...home, rows: [row] }]
  const rows = [...there.rows, row].toSorted((a, b) => a.index - b.index)
  return visible.map((section) => (section.key === home.key ? { ...section, rows } : section))
}

const elementOf = (root: HTMLElement | null, key: string): HTMLElement | null =>
  root?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null

function bringIntoView(scroller: HTMLElement | null, layout: ListLayout, row: Row): void {
  const section = layout.sections.find(({ rows }) => rows.includes(row))
  if (!scroller || !section) return
  const top = section.top + row.top
  const above = top - HEAD_HEIGHT
  const below = top + row.height - scroller.clientHeight
  if (above < scroller.scrollTop) scroller.scrollTop = row.index === 0 ? 0 : above
  else if (below > scroller.scrollTop) scroller.scrollTop = below
}

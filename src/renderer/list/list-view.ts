/** What of the list is in view, which order its rows have for now, and where the keyboard is in it. */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import { showDetails } from '../store/navigation.ts'
import {
  HEAD_HEIGHT,
  layOut,
  ROW_HEIGHT,
  rowId,
  withContents,
  type ListLayout,
  type Row,
  type Section,
} from './list-layout.ts'

/** Rows at the top of the list that can have come from another section. */
const NEWEST = 200

/** px */
type View = { readonly top: number; readonly height: number }

export function useViewOf(scroller: RefObject<HTMLElement | null>): ReadonlySignal<View> {
  const view = useSignal<View>({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    const measure = (): void => {
      view.value = { top: element.scrollTop, height: element.clientHeight }
    }
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const resized = new ResizeObserver(measure)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      resized.disconnect()
    }
  }, [])
  return view
}

export type LayoutOfJobs = {
  readonly layout: ReadonlySignal<ListLayout>
  /** The pointer is over the list: no row moves away under it, though what the rows say is kept up to date. */
  readonly hold: () => void
  readonly release: () => void
}

export function useLayoutOfJobs(unfolded: ReadonlySignal<boolean>): LayoutOfJobs {
  const app = useApp()
  const held = useSignal<ListLayout | null>(null)
  /** The version of the history from which the held order may be taken; null once it was. */
  const awaited = useRef<number | null>(null)
  const latest = useComputed(() =>
    layOut({
      jobs: app.state.jobs.value,
      outbox: app.state.outbox.value,
      history: app.history.view.value,
      onlyHistory: isNarrowed(app.history.view.value.query),
      unfolded: unfolded.value,
      now: app.now(),
    }),
  )
  const layout = useComputed(() =>
    held.value === null ? latest.value : withContents(held.value, latest.value),
  )

  // Pages that come in while one scrolls are no change of order.
  const known = useRef({ pages: 0, query: app.history.query.value })
  useSignalEffect(() => {
    const { pages, query, version } = app.history.view.value
    const grew = pages.size !== known.current.pages || query !== known.current.query
    known.current = { pages: pages.size, query }
    // Work that ended just before has left the jobs, and its record is among what had not been read yet.
    const isAwaited = awaited.current !== null && version >= awaited.current
    if (isAwaited) awaited.current = null
    if ((grew || isAwaited) && held.peek() !== null) held.value = latest.peek()
  })

  return {
    layout,
    hold() {
      if (held.peek() !== null) return
      held.value = layout.peek()
      const newest = app.state.historyVersion.peek()
      awaited.current = app.history.view.peek().version < newest ? newest : null
    },
    release() {
      held.value = null
      awaited.current = null
    },
  }
}

/** The keys of rows that stand in another section than when they were last seen. */
export function useMoves(layout: ListLayout): ReadonlySet<string> {
  const seen = useRef<{ layout: ListLayout; homes: Map<string, string>; moved: Set<string> } | null>(null)
  if (seen.current?.layout === layout) return seen.current.moved
  const before = seen.current?.homes
  const homes = new Map<string, string>()
  const moved = new Set<string>()
  for (const section of layout.sections) {
    if ((section.rows[0]?.index ?? 0) > NEWEST) break
    for (const { key, historyIndex } of section.rows.slice(0, NEWEST)) {
      // Only work that is not over changes its section, and it comes to rest among the newest of the past.
      if (historyIndex === null) homes.set(key, section.key)
      const home = before?.get(key)
      if (home !== undefined && home !== section.key) moved.add(key)
    }
  }
  seen.current = { layout, homes, moved }
  return moved
}

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

/** The keyboard in the list: which row has the focus, which one Tab reaches, and where the arrows lead. */
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
  const byKey = (key: string | null) =>
    key === null ? undefined : layout.rows.find((row) => row.key === key)
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

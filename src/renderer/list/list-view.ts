/** Tracks the visible part of the list, the order of its rows and the keyboard focus. */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import { followView, rowFor } from '../ui/scrolled-rows.ts'
import { showDetails } from '../store/navigation.ts'
import { canMove, moveBy } from '../store/queue-moves.ts'
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
import { savedToShow, SAVED_HEIGHT } from './saved-line.tsx'

/** Number of rows at the top in which moves are detected. */
const NEWEST = 200

/** Share of the view by which one scroll event may move the rows. If it moves them further, they pass too fast to be seen. */
const FAST_SHARE = 0.25
/** Time after fast scrolling until rows count as visible, ms. */
const REST_MS = 100

/** px */
type View = { readonly top: number; readonly height: number }

/** Tracks the visible part of the list, and whether rows pass too fast to be seen. */
export function useViewOf(scroller: RefObject<HTMLElement | null>) {
  const view = useSignal<View>({ top: 0, height: 800 })
  const isFast = useSignal(false)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    let resting: ReturnType<typeof setTimeout> | undefined
    const rest = (): void => {
      isFast.value = false
    }
    const stop = followView(element, () => {
      const { scrollTop: top, clientHeight: height } = element
      const isPassing = Math.abs(top - view.peek().top) > height * FAST_SHARE
      view.value = { top, height }
      if (!isPassing) return
      isFast.value = true
      clearTimeout(resting)
      resting = setTimeout(rest, REST_MS)
    })
    return () => {
      clearTimeout(resting)
      stop()
    }
  }, [])
  return { view, isFast }
}

export function useListLayout() {
  const app = useApp()
  const held = useSignal<ListLayout | null>(null)
  /** The history version that updates the frozen order; null if none is awaited. */
  const awaited = useRef<number | null>(null)
  const latest = useComputed(() =>
    layOut({
      jobs: app.jobs.value,
      history: app.history.view.value,
      onlyHistory: isNarrowed(app.history.view.value.query),
      lead: savedToShow(app) === null ? 0 : SAVED_HEIGHT,
      now: app.now(),
    }),
  )
  const layout = useComputed(() =>
    held.value === null ? latest.value : withContents(held.value, latest.value),
  )

  // Pages that load during scrolling don't change the order.
  const known = useRef({ pages: 0, query: app.history.query.value })
  useSignalEffect(() => {
    const { pages, query, version } = app.history.view.value
    const grew = pages.size !== known.current.pages || query !== known.current.query
    known.current = { pages: pages.size, query }
    // A job that has just ended is no longer in `jobs`, and its record may not have been loaded yet.
    const isAwaited = awaited.current !== null && version >= awaited.current
    if (isAwaited) awaited.current = null
    if ((grew || isAwaited) && held.peek() !== null) held.value = latest.peek()
  })

  return {
    layout,
    /** Freezes the order of the rows until `release` is called. Their contents still update. */
    hold: (): void => {
      if (held.peek() !== null) return
      held.value = layout.peek()
      const newest = app.state.historyVersion.peek()
      awaited.current = app.history.view.peek().version < newest ? newest : null
    },
    release: (): void => {
      held.value = null
      awaited.current = null
    },
  }
}

/** Returns the keys of rows that have moved to another section since they were last rendered. */
export function useMovedRows(layout: ListLayout): ReadonlySet<string> {
  const seen = useRef<{ layout: ListLayout; homes: Map<string, string>; moved: Set<string> } | null>(null)
  if (seen.current?.layout === layout) return seen.current.moved
  const before = seen.current?.homes
  const homes = new Map<string, string>()
  const moved = new Set<string>()
  for (const section of layout.sections) {
    if ((section.rows[0]?.index ?? 0) > NEWEST) break
    for (const { key, historyIndex } of section.rows.slice(0, NEWEST)) {
      // Only unfinished jobs can move to another section. When they finish, they move to the newest records.
      if (historyIndex === null) homes.set(key, section.key)
      const home = before?.get(key)
      if (home !== undefined && home !== section.key) moved.add(key)
    }
  }
  seen.current = { layout, homes, moved }
  return moved
}

/** Handles arrow keys, Tab order and focus in the list. */
export function useRowFocus(options: {
  readonly scroller: RefObject<HTMLElement | null>
  readonly layout: ReadonlySignal<ListLayout>
  readonly view: ReadonlySignal<View>
  /** Unfreezes the order of the rows. */
  readonly release: () => void
}) {
  const { scroller, layout, view, release } = options
  const app = useApp()
  /** Key of the focused or last focused row. */
  const focused = useSignal<string | null>(null)
  /** The row that the user has just moved, and where it was. */
  const movedFrom = useRef<Row | null>(null)
  /** Index of a target row that hasn't been loaded yet. */
  const pending = useRef<number | null>(null)

  const focusRow = (index: number): void => {
    const row = layout.peek().rows[index]
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

  // A row that moves to another section is a new element, which must get the focus of the old one.
  const active = document.activeElement
  const keyBefore =
    active instanceof HTMLElement && scroller.current?.contains(active) ? active.dataset['key'] : undefined
  const rowBefore = useRef<Row | undefined>(undefined)
  /** Key of a focused job that has just ended; its record gets the focus when it has been loaded. */
  const ended = useRef<string | null>(null)
  useLayoutEffect(() => {
    const { rows } = layout.peek()
    const record = ended.current === null ? null : elementOf(scroller.current, ended.current)
    if (record !== null) {
      ended.current = null
      record.focus({ preventScroll: true })
    }
    if (keyBefore !== undefined && document.activeElement === document.body) {
      const { index = 0, historyIndex = null } = rowBefore.current ?? {}
      // If a record was removed, the next row gets the focus. An unfinished job may reappear in another section.
      const next = historyIndex === null ? undefined : rows[Math.min(index, rows.length - 1)]
      const target = elementOf(scroller.current, keyBefore) ?? elementOf(scroller.current, next?.key ?? '')
      target?.focus({ preventScroll: true })
      if (target === null) ended.current = keyBefore
    }
    rowBefore.current = keyBefore === undefined ? undefined : rows.find(({ key }) => key === keyBefore)
  })

  // Focus the target row once it has been loaded.
  useLayoutEffect(() => {
    if (pending.current === null) return
    const row = layout.peek().rows[pending.current]
    if (row && row.content.kind !== 'blank') focusRow(pending.current)
  })

  // Keep a row that the user has moved in view.
  useLayoutEffect(() => {
    const { current: before } = movedFrom
    const row = before === null ? undefined : layout.peek().rows.find(({ key }) => key === before.key)
    if (row === undefined || row.index === before?.index) return
    movedFrom.current = null
    bringIntoView(scroller.current, layout.peek(), row)
  })

  /** Moves the focused job if the keys are a shortcut for this. @returns whether they are and the job is movable */
  function moveFocused(event: KeyboardEvent): boolean {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    const row = layout.peek().rows.find(({ key }) => key === focused.peek())
    if (by === undefined || !isAltOnly(event) || row?.content.kind !== 'job') return false
    if (row.content.dated !== null || !canMove(row.content.job)) return false
    movedFrom.current = row
    void moveBy(app, row.content.job, by)
    return true
  }

  return {
    focused,
    onKeyDown: (event: KeyboardEvent): void => {
      // Show the effect of the user's own action immediately.
      release()
      ended.current = null
      if (moveFocused(event)) return event.preventDefault()
      const { rows } = layout.peek()
      const index = rowFor(event, {
        at: rows.findIndex(({ key }) => key === focused.peek()),
        last: rows.length - 1,
        viewHeight: view.peek().height,
        rowHeight: ROW_HEIGHT.plain,
      })
      if (index === undefined) return
      event.preventDefault()
      focusRow(index)
    },
  }
}

const isAltOnly = ({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  altKey && !ctrlKey && !metaKey && !shiftKey

/**
 * Returns the row in the Tab order: the focused row, otherwise the row shown in the job pane, otherwise the first one that has been loaded.
 * null if there is none.
 */
export function tabStop(layout: ListLayout, focused: string | null, selected: string | null): Row | null {
  const byKey = (key: string | null) =>
    key === null ? undefined : layout.rows.find((row) => row.key === key)
  return (
    byKey(focused) ?? byKey(selected) ?? layout.rows.find(({ content }) => content.kind !== 'blank') ?? null
  )
}

/** Returns the visible sections plus the given row. */
export function withRow(visible: readonly Section[], layout: ListLayout, row: Row): readonly Section[] {
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

import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp, useTranslation } from '../store/app.ts'
import { focusSoon, showDetails } from '../store/navigation.ts'
import { isNarrowed, wordsOf } from '../store/search.ts'
import { JobRow, itemOf } from './job-row.tsx'
import { layOut, rowId, rowsBetween, HEAD_HEIGHT, withContents } from './list-layout.ts'
import type { ListLayout, Row, Section } from './list-layout.ts'
import { SectionHead } from './section-head.tsx'

/** Rows at the top of the list that can have come from another section. */
const NEWEST = 200
/** Rows this far outside the view exist already, px. */
const SPARE = 160

/** The one list. Only the rows in view exist; the focused one is kept wherever the view goes. */
export function JobList() {
  const app = useApp()
  const t = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const view = useSignal({ top: 0, height: 800 })
  const unfolded = useSignal(false)
  const focused = useSignal<string | null>(null)
  const pending = useRef<number | null>(null)
  const held = useSignal<ListLayout | null>(null)

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
    const { pages, query } = app.history.view.value
    const grew = pages.size !== known.current.pages || query !== known.current.query
    known.current = { pages: pages.size, query }
    if (grew && held.peek() !== null) held.value = latest.peek()
  })

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

  const from = view.value.top - SPARE
  const to = view.value.top + view.value.height + SPARE
  const visible = rowsBetween(layout.value, from, to)
  const shown = app.route.jobPane.value
  const selected = shown.kind === 'details' ? shown.id : null
  const tabbable = tabStop(layout.value, focused.value, selected)
  const sections = tabbable === null ? visible : including(visible, layout.value, tabbable)
  const words = wordsOf(app.history.view.value.query)
  const moved = useMoves(layout.value)

  useLayoutEffect(() => {
    const indices = visible.flatMap(({ rows }) => rows.flatMap((row) => row.historyIndex ?? []))
    const first = indices[0]
    const last = indices.at(-1)
    if (first !== undefined && last !== undefined) app.history.need(first, last)
  })

  const focusRow = (index: number): void => {
    const rows = layout.peek().rows
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))]
    if (!row) return
    held.value = null
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

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = layout.peek().rows.findIndex(({ key }) => key === focused.peek())
    const page = Math.max(1, Math.floor(view.peek().height / 52) - 1)
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
  }

  const rowCount = layout.value.rows.length
  return (
    <div
      class="scroll jobs"
      ref={scroller}
      onKeyDown={onKeyDown}
      onPointerMove={() => {
        if (held.peek() === null) held.value = layout.peek()
      }}
      onPointerLeave={() => {
        held.value = null
      }}
      // Whatever one does oneself is shown at once.
      onClick={() => {
        held.value = null
      }}
      onFocusIn={(event) => {
        const key = event.target instanceof HTMLElement ? event.target.dataset['key'] : undefined
        if (key !== undefined) focused.value = key
      }}
    >
      <div class="room" style={{ '--height': `${layout.value.height}px` }}>
        {sections.map((section) => (
          <section
            key={section.key}
            class="group"
            aria-labelledby={`section-${section.key}`}
            style={{ '--top': `${section.top}px`, '--height': `${section.height}px` }}
          >
            <SectionHead section={section} id={`section-${section.key}`} />
            <ul>
              {section.rows.map((row) => {
                const item = itemOf(row.content)
                if (row.content.kind === 'fold') {
                  return (
                    <li
                      key={row.key}
                      class="row-place fold"
                      aria-setsize={rowCount}
                      aria-posinset={row.index + 1}
                      style={{ '--top': `${row.top}px`, '--height': `${row.height}px` }}
                    >
                      <button
                        type="button"
                        class="btn quiet"
                        data-key={row.key}
                        tabIndex={tabbable?.key === row.key ? 0 : -1}
                        onClick={() => {
                          unfolded.value = true
                          focusSoon('.jobs [tabindex="0"]')
                        }}
                      >
                        {t.list.moreJobs({ count: row.content.count })}
                      </button>
                    </li>
                  )
                }
                if (item === null) {
                  return (
                    <li
                      key={row.key}
                      class="row-blank"
                      aria-setsize={rowCount}
                      aria-posinset={row.index + 1}
                      style={{ '--top': `${row.top}px` }}
                    >
                      <span class="sr">{t.list.reading}</span>
                    </li>
                  )
                }
                return (
                  <JobRow
                    key={row.key}
                    row={row}
                    item={item}
                    current={selected !== null && rowId(row) === selected}
                    tabbable={tabbable?.key === row.key}
                    moved={moved.has(row.key)}
                    setSize={rowCount}
                    words={words}
                  />
                )
              })}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

/** One Tab stop: the row that has or had the focus, else the one in the job pane, else the first. */
function tabStop(layout: ListLayout, focused: string | null, selected: string | null): Row | null {
  const byKey = (key: string | null) => layout.rows.find((row) => row.key === key)
  return (
    byKey(focused) ?? byKey(selected) ?? layout.rows.find(({ content }) => content.kind !== 'blank') ?? null
  )
}

/** The sections in view, and the given row wherever it is. */
function including(visible: readonly Section[], layout: ListLayout, row: Row): readonly Section[] {
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

/** The keys of rows that stand in another section than when they were last seen. */
function useMoves(layout: ListLayout): ReadonlySet<string> {
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

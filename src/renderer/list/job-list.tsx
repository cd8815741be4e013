import { useSignal, type Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { wordsOf } from '../store/search.ts'
import type { Drag } from './drag.ts'
import type { ListContext } from './job-row.tsx'
import { rowsBetween } from './list-layout.ts'
import { withRow, tabStop, useListLayout, useMovedRows, useRowFocus, useViewOf } from './list-view.ts'
import { ListSection } from './list-section.tsx'
import { savedToShow, SavedLine } from './saved-line.tsx'
import './job-list.css'

/** Distance outside the view within which rows are rendered, px. */
const OVERSCAN = 160
/** Number of rows outside the view that are loaded in advance, so that users rarely see placeholders. */
const READ_AHEAD = 40

/** The list of all jobs. It renders only rows near the view, plus the row in the Tab order. */
export function JobList() {
  const app = useApp()
  const scroller = useRef<HTMLDivElement>(null)
  const { view, isFast } = useViewOf(scroller)
  const { layout, hold, release } = useListLayout()
  const drag = useSignal<Drag | null>(null)
  const list = useRef({ drag, layout, hold, release }).current
  const { focused, onKeyDown } = useRowFocus({ scroller, layout, view, release })

  const from = view.value.top - OVERSCAN
  const to = view.value.top + view.value.height + OVERSCAN
  const visible = rowsBetween(layout.value, from, to)
  const shown = app.route.jobPane.value
  const selected = shown.kind === 'details' ? shown.id : null
  const tabbable = tabStop(layout.value, focused.value, selected)
  const sections = tabbable === null ? visible : withRow(visible, layout.value, tabbable)
  const words = wordsOf(app.history.view.value.query)
  const moved = useMovedRows(layout.value)
  const saved = savedToShow(app)

  useLayoutEffect(() => {
    const indices = visible.flatMap(({ rows }) => rows.flatMap((row) => row.historyIndex ?? []))
    const first = indices[0]
    const last = indices.at(-1)
    if (first !== undefined && last !== undefined)
      app.history.need(Math.max(0, first - READ_AHEAD), last + READ_AHEAD)
  })

  const context: ListContext = {
    rowCount: app.history.view.value.hasMore ? -1 : layout.value.rows.length,
    selected,
    tabbable: tabbable?.key ?? null,
    moved,
    words,
    passing: isFast,
    list,
  }
  return (
    <div
      class="scroll-area job-list"
      ref={scroller}
      onKeyDown={onKeyDown}
      onPointerMove={hold}
      onPointerLeave={release}
      // Show the effect of the user's own action immediately.
      onClick={release}
      onFocusIn={(event) => {
        const key = event.target instanceof HTMLElement ? event.target.dataset['key'] : undefined
        if (key !== undefined) focused.value = key
      }}
    >
      <div class="job-list-content" style={{ '--height': `${layout.value.height}px` }}>
        {saved !== null && <SavedLine saved={saved} />}
        {sections.map((section) => (
          <ListSection key={section.key} section={section} {...context} />
        ))}
        <DropLine drag={drag} />
      </div>
    </div>
  )
}

const DropLine = ({ drag }: { readonly drag: Signal<Drag | null> }) =>
  drag.value && <div class="job-drop-line" style={{ '--top': `${drag.value.line}px` }} />

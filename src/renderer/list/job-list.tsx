import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { wordsOf } from '../store/search.ts'
import { rowsBetween } from './list-layout.ts'
import { including, tabStop, useLayoutOfJobs, useMoves, useRowFocus, useViewOf } from './list-view.ts'
import { ListSection } from './list-section.tsx'

/** Rows this far outside the view exist already, px. */
const SPARE = 160
/** Rows this far outside the view are read already, so that one who scrolls seldom sees a blank one. */
const READ_AHEAD = 40

/** The one list. Only the rows in view exist; the focused one is kept wherever the view goes. */
export function JobList() {
  const app = useApp()
  const scroller = useRef<HTMLDivElement>(null)
  const view = useViewOf(scroller)
  const unfolded = useSignal(false)
  const { layout, hold, release } = useLayoutOfJobs(unfolded)
  const { focused, onKeyDown } = useRowFocus({ scroller, layout, view, release })

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
    if (first !== undefined && last !== undefined)
      app.history.need(Math.max(0, first - READ_AHEAD), last + READ_AHEAD)
  })

  const rowCount = layout.value.rows.length
  return (
    <div
      class="scroll jobs"
      ref={scroller}
      onKeyDown={onKeyDown}
      onPointerMove={hold}
      onPointerLeave={release}
      // Whatever one does oneself is shown at once.
      onClick={release}
      onFocusIn={(event) => {
        const key = event.target instanceof HTMLElement ? event.target.dataset['key'] : undefined
        if (key !== undefined) focused.value = key
      }}
    >
      <div class="list-height" style={{ '--height': `${layout.value.height}px` }}>
        {sections.map((section) => (
          <ListSection
            key={section.key}
            section={section}
            rowCount={rowCount}
            selected={selected}
            tabbable={tabbable?.key ?? null}
            moved={moved}
            words={words}
            onUnfold={() => {
              unfolded.value = true
            }}
          />
        ))}
      </div>
    </div>
  )
}

/** What of the list is in view, and which order its rows have for now. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import { layOut, withContents } from './list-layout.ts'
import type { ListLayout } from './list-layout.ts'

/** Rows at the top of the list that can have come from another section. */
const NEWEST = 200

/** px */
export type View = { readonly top: number; readonly height: number }

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

  return {
    layout,
    hold() {
      if (held.peek() === null) held.value = layout.peek()
    },
    release() {
      held.value = null
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

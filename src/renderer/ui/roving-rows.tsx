import { useSignal } from '@preact/signals'
import { useRef, useLayoutEffect, useState } from 'preact/hooks'
import type { ComponentChildren, RefObject } from 'preact'
import { followView, rowFor } from './scrolled-rows.ts'
import './roving-rows.css'

/** Props for a row's element: its position, focus and ARIA attributes. */
export type RowPlace = {
  readonly style: { readonly '--top': string }
  readonly tabIndex: 0 | -1
  readonly 'data-index': number
  readonly 'aria-setsize': number
  readonly 'aria-posinset': number
  readonly onFocus: () => void
}

/** A virtual list of rows with equal heights and a single Tab stop. Arrow keys, Home, End and the Page keys move the focus. */
export function RovingRows<Item extends object>(props: {
  readonly items: readonly Item[]
  /** Height of each row in px. */
  readonly rowHeight: number
  /** Whether rows may grow with their text. Longer lists ignore this. */
  readonly wraps?: boolean
  readonly label: string
  readonly class?: string
  readonly row: (item: Item, place: RowPlace) => ComponentChildren
  /**
   * Handles the keys that don't move the focus.
   * @returns true if the key was handled
   */
  readonly onKey?: (item: Item, event: KeyboardEvent) => boolean
}) {
  const { items, rowHeight, wraps = false, label, class: more = '', row, onKey } = props
  const count = items.length
  const focused = useSignal<number | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const stop = Math.min(focused.value ?? 0, count - 1)
  const all = wraps && count <= WRAPPED_MOST
  const inView = useRowsInView(list, rowHeight, count)

  const go = (index: number): void => {
    focused.value = index
    requestAnimationFrame(() => {
      list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus()
    })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    // Buttons inside a row handle their own keys.
    if (!(event.target instanceof HTMLElement) || event.target.dataset['index'] === undefined) return
    const at = Number(event.target.dataset['index'])
    const viewHeight = list.current?.closest('[data-scroller]')?.clientHeight ?? 0
    const to = rowFor(event, { at, last: count - 1, viewHeight, rowHeight })
    const item = items[at]
    if (to !== undefined) go(to)
    else if (item === undefined || !onKey?.(item, event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const indices: number[] = []
  const [from, to] = all ? [0, count] : [inView.first, Math.min(count, inView.last)]
  for (let index = from; index < to; index += 1) indices.push(index)
  if (stop < count && !indices.includes(stop)) indices.push(stop)
  return (
    <div onKeyDown={onKeyDown}>
      <ul
        ref={list}
        class={`virtual-list ${all ? 'wrap' : ''} ${more}`}
        aria-label={label}
        style={{ '--height': `${count * rowHeight}px`, '--row-height': `${rowHeight}px` }}
      >
        {indices.map((index) => {
          const item = items[index]
          if (item === undefined) return null
          return row(item, {
            style: { '--top': `${index * rowHeight}px` },
            tabIndex: index === stop ? 0 : -1,
            'data-index': index,
            'aria-setsize': count,
            'aria-posinset': index + 1,
            onFocus: () => (focused.value = index),
          })
        })}
      </ul>
    </div>
  )
}

const OVERSCAN = 6
/** Lists of up to this many rows that wrap are rendered completely. */
const WRAPPED_MOST = 200
/** The range of rows that is rendered before the first measurement. */
const FIRST = { first: 0, last: 24 }

/** Returns the rows to render. The list's ancestor with `data-scroller` scrolls it. */
function useRowsInView(list: RefObject<HTMLElement | null>, rowHeight: number, count: number) {
  const [view, setView] = useState(FIRST)
  useLayoutEffect(() => {
    const element = list.current
    const scroller = element?.closest('[data-scroller]')
    if (!element || !scroller) return undefined
    const measure = (): void => {
      const above = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top
      const first = Math.max(0, Math.floor(above / rowHeight) - OVERSCAN)
      const last = Math.ceil((above + scroller.clientHeight) / rowHeight) + OVERSCAN
      setView((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    return followView(scroller, measure, [element])
  }, [rowHeight, count])
  return view
}

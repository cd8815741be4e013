import { useSignal } from '@preact/signals'
import { useRef, useLayoutEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
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

/** A long list with a single Tab stop. Arrow keys, Home, End and the Page keys move the focus. */
export function RovingRows<Item extends object>(props: {
  readonly items: readonly Item[]
  readonly rowHeight: number
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
  const box = useRef<HTMLDivElement>(null)
  const stop = Math.min(focused.value ?? 0, count - 1)

  const go = (index: number): void => {
    focused.value = index
    requestAnimationFrame(() => {
      box.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus()
    })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    // Buttons inside a row handle their own keys.
    if (!(event.target instanceof HTMLElement) || event.target.dataset['index'] === undefined) return
    const at = Number(event.target.dataset['index'])
    const viewHeight = box.current?.closest('[data-scroller]')?.clientHeight ?? 0
    const to = rowFor(event, { at, last: count - 1, viewHeight, rowHeight })
    const item = items[at]
    if (to !== undefined) go(to)
    else if (item === undefined || !onKey?.(item, event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div ref={box} onKeyDown={onKeyDown}>
      <Windowed
        count={count}
        rowHeight={rowHeight}
        wraps={wraps}
        label={label}
        class={more}
        keep={stop}
        row={(index) => {
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
        }}
      />
    </div>
  )
}

const OVERSCAN = 6
const WRAPPED_MOST = 200
/** The range of rows that is rendered before the first measurement. */
const FIRST = { first: 0, last: 24 }

/** A virtual list of rows with equal heights. Its ancestor with `data-scroller` scrolls it. */
function Windowed(props: {
  readonly count: number
  /** Height of each row in px. */
  readonly rowHeight: number
  /** Whether rows may grow with their text. Applies to lists of up to 200 rows, which are rendered completely. */
  readonly wraps?: boolean
  readonly class?: string
  readonly label?: string
  /** Index of the row that is always rendered, because it is the Tab stop. */
  readonly keep?: number | null
  readonly row: (index: number) => ComponentChildren
}) {
  const { count, rowHeight, class: more = '', label, keep = null, row } = props
  const all = props.wraps === true && count <= WRAPPED_MOST
  const list = useRef<HTMLUListElement>(null)
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

  const indices: number[] = []
  const [from, to] = all ? [0, count] : [view.first, Math.min(count, view.last)]
  for (let index = from; index < to; index += 1) indices.push(index)
  if (keep !== null && keep < count && !indices.includes(keep)) indices.push(keep)
  return (
    <ul
      ref={list}
      class={`virtual-list ${all ? 'wrap' : ''} ${more}`}
      aria-label={label}
      style={{ '--height': `${count * rowHeight}px`, '--row-height': `${rowHeight}px` }}
    >
      {indices.map((index) => row(index))}
    </ul>
  )
}

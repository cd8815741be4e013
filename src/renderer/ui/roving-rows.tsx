import { useSignal } from '@preact/signals'
import { useRef, useLayoutEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

/** What a row's element takes so that it stands in its place and takes part in the movement. */
export type RowPlace = {
  readonly style: { readonly '--top': string }
  readonly tabIndex: 0 | -1
  readonly 'data-index': number
  readonly 'aria-setsize': number
  readonly 'aria-posinset': number
  readonly onFocus: () => void
}

type RovingRowsProps = {
  readonly count: number
  readonly rowHeight: number
  readonly wraps?: boolean
  readonly label: string
  readonly class?: string
  readonly row: (index: number, place: RowPlace) => ComponentChildren
  /** Keys other than those that move. @returns true when it did something */
  readonly onKey?: (index: number, event: KeyboardEvent) => boolean
}

/** A long list with one Tab stop: arrows, Home, End and the Page keys move in it. */
export function RovingRows(props: RovingRowsProps) {
  const { count, rowHeight, wraps = false, label, class: more = '', row, onKey } = props
  const focused = useSignal<number | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const stop = Math.min(focused.value ?? 0, count - 1)

  const go = (to: number): void => {
    const index = Math.min(count - 1, Math.max(0, to))
    focused.value = index
    requestAnimationFrame(() => {
      box.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus()
    })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    // Buttons inside a row keep their own keys.
    if (!(event.target instanceof HTMLElement) || event.target.dataset['index'] === undefined) return
    const at = Number(event.target.dataset['index'])
    const next: Partial<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 8,
      PageUp: at - 8,
      Home: 0,
      End: count - 1,
    }
    const to = next[event.key]
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (to !== undefined && plain) go(to)
    else if (!(onKey?.(at, event) ?? false)) return
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
        row={(index) =>
          row(index, {
            style: { '--top': `${index * rowHeight}px` },
            tabIndex: index === stop ? 0 : -1,
            'data-index': index,
            'aria-setsize': count,
            'aria-posinset': index + 1,
            onFocus: () => {
              focused.value = index
            },
          })
        }
      />
    </div>
  )
}

type WindowedProps = {
  readonly count: number
  /** px; every row has it. */
  readonly rowHeight: number
  /** Rows become taller than that where their words need it, as long as there are few enough to have them all in the page. */
  readonly wraps?: boolean
  readonly class?: string
  readonly label?: string
  /** Stays in the page wherever the view goes, because it has the focus. */
  readonly keep?: number | null
  readonly row: (index: number) => ComponentChildren
}

const SPARE = 6
const WRAPPED_MOST = 200
/** Before it has been measured. */
const FIRST = { first: 0, last: 24 }

/** A list of equal rows of which only those in view exist. It scrolls with what is marked around it with `data-scroller`. */
function Windowed(props: WindowedProps) {
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
      const first = Math.max(0, Math.floor(above / rowHeight) - SPARE)
      const last = Math.ceil((above + scroller.clientHeight) / rowHeight) + SPARE
      setView((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    measure()
    scroller.addEventListener('scroll', measure, { passive: true })
    const resized = new ResizeObserver(measure)
    resized.observe(scroller)
    resized.observe(element)
    return () => {
      scroller.removeEventListener('scroll', measure)
      resized.disconnect()
    }
  }, [rowHeight, count])

  const indices: number[] = []
  const [from, to] = all ? [0, count] : [view.first, Math.min(count, view.last)]
  for (let index = from; index < to; index += 1) indices.push(index)
  if (keep !== null && keep < count && !indices.includes(keep)) indices.push(keep)
  return (
    <ul
      ref={list}
      class={`windowed ${all ? 'wraps' : ''} ${more}`}
      aria-label={label}
      style={{ '--height': `${count * rowHeight}px`, '--row-height': `${rowHeight}px` }}
    >
      {indices.map((index) => row(index))}
    </ul>
  )
}

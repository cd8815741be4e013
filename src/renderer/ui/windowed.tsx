import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

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
export function Windowed(props: WindowedProps) {
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

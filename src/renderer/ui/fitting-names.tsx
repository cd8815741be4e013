import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import './fitting-names.css'

/** As many names as fit on one line, then the number of hidden names, if any. The first name is always visible, truncated if necessary. */
export function FittingNames(props: {
  readonly names: readonly { readonly icon: IconName; readonly name: string }[]
  /** Returns the text for the names that don't fit, such as "+ 3 more". */
  readonly more: (count: number) => string
}) {
  const { names, more } = props
  const row = useRef<HTMLSpanElement>(null)
  const [width, setWidth] = useState(0)
  const [fitting, setFitting] = useState(names.length)
  const text = names.map(({ name }) => name).join('\n')
  useLayoutEffect(() => {
    const element = row.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (row.current !== null) setFitting(countFitting(row.current, names.length))
  }, [width, text])
  return (
    <span class="fitting-names" ref={row}>
      {names.map(({ icon, name }, index) => (
        <span key={name} class={index < fitting ? '' : 'unfitting'}>
          <Icon name={icon} />
          <span class="truncate">{name}</span>
        </span>
      ))}
      {/* Rendered even if all names fit, so that its width can be measured. */}
      <span class={`numeric ${fitting < names.length ? '' : 'unfitting'}`}>
        {more(Math.max(1, names.length - fitting))}
      </span>
    </span>
  )
}

/** Returns how many names fit. Hidden names keep their width, so that they can be measured at any time. */
function countFitting(row: HTMLElement, count: number): number {
  const available = row.clientWidth
  const gap = parseFloat(getComputedStyle(row).columnGap) || 0
  const widths = [...row.children].map((child) => child.scrollWidth + gap)
  const names = widths.slice(0, count)
  const total = names.reduce((sum, width) => sum + width, -gap)
  if (total <= available) return count
  let used = widths[count] ?? 0
  const fitting = names.findIndex((width) => (used += width) - gap > available)
  return Math.max(1, fitting)
}

/** The rules that all long lists of rows share: when to measure the view, and which row a key moves to. */

/**
 * Calls `measure` immediately, and whenever the scroller scrolls or one of the elements is resized.
 * @returns a function that stops measuring
 */
export function followView(
  scroller: Element,
  measure: () => void,
  content: readonly Element[] = [],
): () => void {
  measure()
  scroller.addEventListener('scroll', measure, { passive: true })
  const resized = new ResizeObserver(measure)
  for (const element of [scroller, ...content]) resized.observe(element)
  return () => {
    scroller.removeEventListener('scroll', measure)
    resized.disconnect()
  }
}

/**
 * Returns the index of the row that a key moves the focus to; undefined if the key doesn't move the focus.
 * @param at index of the focused row
 * @param last index of the last row
 */
export function rowFor(
  event: KeyboardEvent,
  { at, last, viewHeight, rowHeight }: Record<'at' | 'last' | 'viewHeight' | 'rowHeight', number>,
): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined
  const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1)
  const targets: Partial<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  }
  const target = targets[event.key]
  return target === undefined ? undefined : Math.min(last, Math.max(0, target))
}

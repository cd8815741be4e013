import { entryOf, type Region } from './keyboard.ts'

/**
 * Moves the focus to the first stop of its region when the focused element disappears. Otherwise the focus would be lost, and
 * screen readers would start over at the top of the window.
 */
export function keepFocus(root: Element): void {
  let last: Element | null = null
  let region: Region = 'main'
  let isChecking = false
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    last = target
    const around = target.closest<HTMLElement>('[data-region]')?.dataset['region']
    if (around === 'side' || around === 'main' || around === 'notice') region = around
  })
  addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return
    // If the element still exists afterward, the user moved the focus away.
    queueMicrotask(() => {
      const isLeft = target === last && document.activeElement !== last
      if (isLeft && last?.isConnected && last.checkVisibility()) last = null
    })
  })
  const observer = new MutationObserver((changes) => {
    // Panes that a narrow window doesn't show are hidden, not removed.
    const isHidden = changes.some(({ type }) => type === 'attributes')
    if (isChecking || last === null || (last.isConnected && !isHidden)) return
    isChecking = true
    // The code that removed the element may set the focus itself.
    requestAnimationFrame(() => {
      isChecking = false
      const { activeElement } = document
      if (activeElement !== document.body && activeElement?.checkVisibility()) return
      if (last?.isConnected && last.checkVisibility()) return
      const next = entryOf(region) ?? entryOf('main') ?? entryOf('side')
      if (next !== undefined && root.contains(next)) next.focus()
    })
  })
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-view', 'data-pane'],
  })
}

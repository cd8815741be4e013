import { entryOf, type Region } from './keyboard.ts'
import { canHaveFocus } from './store/focus.ts'
import { isLoading } from './store/later.tsx'

/**
 * Moves the focus when the focused element disappears or becomes disabled: to another control near it, or to the first stop of its region,
 * once it has loaded.
 * Otherwise the focus would be lost, and screen readers would start over at the top of the window.
 */
export function keepFocus(root: Element): void {
  let last: Element | null = null
  /** The setting or the options of a new job that contain `last`; null if none do. */
  let group: Element | null = null
  let region: Region = 'main'
  let isChecking = false
  /** Whether the last check found nothing to focus. */
  let isLost = false
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    last = target
    group = target.closest('.setting, .draft-options')
    const around = target.closest<HTMLElement>('[data-region]')?.dataset['region']
    if (around === 'side' || around === 'main' || around === 'notice') region = around
  })
  addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return
    // If the element still exists afterward, the user moved the focus away.
    queueMicrotask(() => {
      const isLeft = target === last && document.activeElement !== last
      if (isLeft && canHaveFocus(last)) last = null
    })
  })
  // If the user clicks while the view that replaces the element is loading, the focus isn't moved afterward.
  addEventListener(
    'pointerdown',
    () => {
      if (!canHaveFocus(last)) last = null
    },
    { capture: true },
  )
  const observer = new MutationObserver((changes) => {
    // Panes that a narrow window doesn't show are hidden, and buttons without an effect are disabled, not removed.
    const isHidden = changes.some(({ type }) => type === 'attributes')
    if (isChecking || last === null || (last.isConnected && !isHidden && !isLost)) return
    isChecking = true
    // The code that removed the element may set the focus itself.
    requestAnimationFrame(restore)
  })
  const restore = (): void => {
    const { activeElement } = document
    isChecking = false
    isLost = false
    if ((activeElement !== document.body && canHaveFocus(activeElement)) || canHaveFocus(last)) return
    const elsewhere = () =>
      isLoading(`[data-region="${region}"]`) ? undefined : (entryOf('main') ?? entryOf('side'))
    const next = neighborOf(last) ?? firstIn(group) ?? entryOf(region) ?? elsewhere()
    // Once a view has loaded, the observer checks again.
    isLost = next === undefined
    if (next !== undefined && root.contains(next)) next.focus()
  }
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-view', 'data-pane', 'disabled'],
  })
}

/** Returns a control next to a disabled one, such as *Move down* next to *Move up*. */
const neighborOf = (element: Element | null): HTMLElement | undefined =>
  element?.matches(':disabled') === true ? firstIn(element.parentElement) : undefined

const firstIn = (parent: Element | null): HTMLElement | undefined =>
  [...(parent?.querySelectorAll<HTMLElement>('button, input, select') ?? [])].find(canHaveFocus)

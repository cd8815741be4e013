/** Number of frames to wait for a control, whose script or texts may still be loading: two seconds at 60 Hz, longer on a busy computer. */
const FRAMES = 120

const MODIFIERS = ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta']

/** Ends the current wait. */
let current = new AbortController()

/**
 * Focuses the first match that is visible and enabled, as soon as there is one. Gives up after `FRAMES` frames, if the user presses
 * another key or clicks meanwhile, or if this is called again.
 */
export function focusOnceShown(selector: string): void {
  current.abort()
  const wait = (current = new AbortController())
  const options = { signal: wait.signal, capture: true }
  addEventListener('pointerdown', () => wait.abort(), options)
  addEventListener(
    'keydown',
    ({ key, repeat }) => {
      // The key that led to this call may still be held down.
      if (!repeat && !MODIFIERS.includes(key)) wait.abort()
    },
    options,
  )
  const step = (frames: number): void => {
    if (wait.signal.aborted) return
    const element = [...document.querySelectorAll<HTMLElement>(selector)].find(canHaveFocus)
    element?.focus()
    const isFocused = element !== undefined && document.activeElement === element
    if (isFocused || frames === 0) wait.abort()
    else requestAnimationFrame(() => step(frames - 1))
  }
  // Changes that were made before this call are rendered in the next frame.
  requestAnimationFrame(() => step(FRAMES))
}

export const canHaveFocus = (element: Element | null): boolean =>
  element?.isConnected === true && element.checkVisibility() && !element.matches(':disabled')

/** Whether the target uses letter keys and pasting itself. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select')

/**
 * Whether the user may be typing in an element. An empty search field doesn't count, because it gets the focus when the settings close
 * and there are no jobs.
 */
export const isTypedIn = (element: Element | null): boolean =>
  isField(element) &&
  !(element instanceof HTMLInputElement && element.id === 'search' && element.value === '')

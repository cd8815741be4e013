/** Number of frames to wait for a control: about five seconds. Its script, its texts or a response may still have to arrive. */
export const FRAMES = 300

/** Keys with which the user moves the focus, or does something that moves it. */
const MOVES_FOCUS = ['Tab', 'F6', 'Enter', ' ']

/** Aborted when the user moves the focus, or when another control is to get it. */
let waiting = new AbortController()

/** Focuses the first visible match as soon as there is one that is enabled. Gives up after `FRAMES` frames, or if the user moves the focus. */
export function focusOnceShown(selector: string): void {
  waiting.abort()
  const wait = (waiting = new AbortController())
  const before = document.activeElement
  const options = { signal: wait.signal, capture: true }
  addEventListener('pointerdown', () => wait.abort(), options)
  addEventListener(
    'keydown',
    ({ key, repeat }) => {
      if (!repeat && MOVES_FOCUS.includes(key)) wait.abort()
    },
    options,
  )
  const step = (frames: number): void => {
    if (wait.signal.aborted) return
    const matches = [...document.querySelectorAll<HTMLElement>(selector)]
    const element = matches.find((match) => match.checkVisibility())
    element?.focus()
    const isFocused = element !== undefined && document.activeElement === element
    const isLeft = document.activeElement !== before && isTypedIn(document.activeElement)
    if (isFocused || isLeft || frames === 0) wait.abort()
    else requestAnimationFrame(() => step(frames - 1))
  }
  // Changes that were made before this call are rendered in the next frame.
  requestAnimationFrame(() => step(FRAMES))
}

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

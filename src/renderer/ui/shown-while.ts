import { useEffect, useRef, useState } from 'preact/hooks'

/** Delay in ms before an operation is shown as running. Most operations end sooner. */
const SHOWN_AFTER_MS = 300
/** Minimum time in ms for which it then stays visible. If it vanished immediately, it would flicker. */
const SHOWN_FOR_MS = 700

/** Returns whether to show that an operation is running. Leaves out short ones, and shows others long enough to be read. */
export function useShownWhile(isRunning: boolean): boolean {
  const [isShown, setShown] = useState(false)
  const shownAt = useRef(0)
  useEffect(() => {
    if (isRunning === isShown) return undefined
    const wait = isRunning ? SHOWN_AFTER_MS : shownAt.current + SHOWN_FOR_MS - performance.now()
    const timer = setTimeout(() => {
      shownAt.current = performance.now()
      setShown(isRunning)
    }, wait)
    return () => clearTimeout(timer)
  }, [isRunning, isShown])
  return isShown
}

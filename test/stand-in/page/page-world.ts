/** The page's own end of the bridge. It runs before any script of the page, and leaves nothing behind that one could find. */
import { createBridgeEnd } from './bridge-end.ts'

export function startPageWorld(secret: string): void {
  if (window !== window.top) return
  document.addEventListener(
    secret,
    (event) => {
      if (event instanceof MouseEvent && event.relatedTarget !== null)
        createBridgeEnd(event.relatedTarget, 'page', 'preload')
    },
    { once: true },
  )
}

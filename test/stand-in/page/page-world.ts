/** The page's own end of the bridge. It runs before any script of the page, and leaves nothing behind that one could find. */
import type { createBridgeEnd } from './bridge-end.ts'

export function startPageWorld(secret: string, bridgeEnd: typeof createBridgeEnd): void {
  if (window !== window.top) return
  document.addEventListener(
    secret,
    (event) => {
      if (event instanceof MouseEvent && event.relatedTarget !== null)
        bridgeEnd(event.relatedTarget, 'page', 'preload')
    },
    { once: true },
  )
}

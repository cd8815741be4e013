/** The page's end of the bridge. Runs before the page's own scripts and leaves nothing behind that they could find. */
import { createBridgeEnd } from './bridge-end.ts'

export function startPageWorld(secret: string): void {
  if (window === window.top) document.addEventListener(secret, meetPreload, { once: true })
}

function meetPreload(event: Event): void {
  if (!(event instanceof MouseEvent) || event.relatedTarget === null) return
  const port = event.relatedTarget
  createBridgeEnd(port, 'page', 'preload')
  const dispatch = port.dispatchEvent.bind(port)
  const { CustomEvent } = globalThis
  // Chromium opens nothing here (see scheme.ts). This only notifies the main process.
  window.open = (url = '', frameName = '', features = '') => {
    const detail = { url: String(url), frameName, features }
    dispatch(new CustomEvent('windowOpen', { detail }))
    return null
  }
}

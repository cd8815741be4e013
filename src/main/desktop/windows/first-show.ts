/** When a new window is shown for the first time: painted where the system says so, and in any case soon. */
import type { BrowserWindow } from 'electron'

/** On some Wayland desktops `ready-to-show` never comes: https://github.com/electron/electron/issues/48859 */
const PATIENCE_MS = 2_000

/**
 * @param show runs once, on whichever comes first: the window is painted, its page was loaded, or it has taken too long
 * @returns whether it has been
 */
export function showOnceReady(window: BrowserWindow, show: () => void): () => boolean {
  let isOver = false

  function showNow(): void {
    clearTimeout(timer)
    if (isOver || window.isDestroyed()) return
    isOver = true
    show()
  }

  const timer = setTimeout(showNow, PATIENCE_MS)
  window.once('ready-to-show', showNow)
  window.webContents.once('did-finish-load', showNow)
  window.once('closed', () => clearTimeout(timer))
  return () => isOver
}

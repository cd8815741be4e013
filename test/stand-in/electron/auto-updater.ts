/** Electron's own `autoUpdater`: the events that electron-updater emits through it, and how Squirrel on macOS quits the app. */
import { EventEmitter } from 'node:events'
import { lacking, onlyEvents } from './lacking.ts'

export type AutoUpdaterParts = {
  readonly windows: () => readonly { close(): void }[]
  /** Imitates Squirrel when no window is left: the system asks the app to quit. */
  readonly quit: () => void
  readonly platform: () => string
}

export function createAutoUpdater({ windows, quit, platform }: AutoUpdaterParts) {
  const emitter = new EventEmitter()
  onlyEvents('autoUpdater', emitter, ['before-quit-for-update', 'error'])
  let waitsForWindows = false

  /**
   * On macOS, closes the windows first; `before-quit` fires only when none is left. A window that stays open keeps the app running. When the last window is gone, Electron repeats the whole call.
   */
  function quitAndInstall(): void {
    emitter.emit('before-quit-for-update')
    // Elsewhere electron-updater does only this, after it has started the installer.
    if (platform() !== 'darwin' || windows().length === 0) return quit()
    waitsForWindows = true
    for (const window of windows()) window.close()
  }

  function windowsChanged(): void {
    if (!waitsForWindows || windows().length > 0) return
    waitsForWindows = false
    quitAndInstall()
  }

  return { autoUpdater: lacking('autoUpdater', emitter), quitAndInstall, windowsChanged }
}

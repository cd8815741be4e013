/** Electron's own `autoUpdater`: what electron-updater says through it, and how Squirrel on macOS ends the app. */
import { EventEmitter } from 'node:events'
import { lacking, onlyEvents } from './lacking.ts'

export type AutoUpdaterParts = {
  readonly windows: () => readonly { close(): void }[]
  /** What Squirrel does when no window is left: the system asks the app to end. */
  readonly quit: () => void
}

export function createAutoUpdater({ windows, quit }: AutoUpdaterParts) {
  const emitter = new EventEmitter()
  onlyEvents('autoUpdater', emitter, ['before-quit-for-update'])
  let waitsForWindows = false

  /** The windows are closed first; `before-quit` comes only when none is left. A window that stays keeps the app. */
  function quitAndInstall(): void {
    emitter.emit('before-quit-for-update')
    waitsForWindows = true
    for (const window of windows()) window.close()
    windowsChanged()
  }

  function windowsChanged(): void {
    if (!waitsForWindows || windows().length > 0) return
    waitsForWindows = false
    quit()
  }

  return { autoUpdater: lacking('autoUpdater', emitter), quitAndInstall, windowsChanged }
}

/** Electron's own `autoUpdater`: the events that electron-updater emits through it, and Squirrel on macOS. */
import { EventEmitter } from 'node:events'
import { lacking, onlyEvents } from './lacking.ts'

export type AutoUpdaterParts = {
  readonly windows: () => readonly { close(): void }[]
  /** Imitates Squirrel when no window is left: the system asks the app to quit. */
  readonly quit: () => void
  readonly platform: () => string
}

type Feed = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export function createAutoUpdater({ windows, quit, platform }: AutoUpdaterParts) {
  const emitter = new EventEmitter()
  onlyEvents('autoUpdater', emitter, [
    'before-quit-for-update',
    'update-downloaded',
    'update-not-available',
    'error',
  ])
  let waitsForWindows = false
  let feed: Feed | undefined
  let isDownloaded = false

  const fail = (error: Error): boolean => emitter.emit('error', error, error.message)

  /** Downloads the update that the feed names. A feed without content means that there is none. */
  async function fetchUpdate({ url, headers }: Feed): Promise<void> {
    const found = await fetch(url, { headers })
    if (found.status === 204) return void emitter.emit('update-not-available')
    const update = (await found.json()) as { readonly url: string }
    const archive = await fetch(update.url)
    if (!archive.ok) throw new Error(`The update server answered with ${archive.status}.`)
    await archive.arrayBuffer()
    isDownloaded = true
    emitter.emit('update-downloaded', {}, '', '', new Date(0), update.url)
  }

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

  const squirrel = {
    setFeedURL: (next: Feed): void => void (feed = next),
    checkForUpdates: (): void =>
      void (
        feed === undefined ? Promise.reject(new Error('Update URL is not set')) : fetchUpdate(feed)
      ).catch(fail),
    quitAndInstall: (): void =>
      isDownloaded ? quitAndInstall() : void fail(new Error("No update available, can't quit and install")),
  }
  const autoUpdater = platform() === 'darwin' ? Object.assign(emitter, squirrel) : emitter
  return { autoUpdater: lacking('autoUpdater', autoUpdater), quitAndInstall, windowsChanged }
}

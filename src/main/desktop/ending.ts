/**
 * Shuts the app down once and in order. A second quit can't interrupt the shutdown, and files opened during it are kept for the
 * next launch.
 */
import { app, autoUpdater } from 'electron'
import type { Settings } from '../settings/settings.ts'
import type { Launches } from './bootstrap.ts'
import type { TrayPresence } from './tray/tray-presence.ts'
import { updaterStartsApp } from './updates.ts'
import { quitsWithLastWindow, whatClosingDoes } from './windows/main-window.ts'

export type Ending = ReturnType<typeof createEnding>

export function createEnding(
  launches: Launches,
  settings: Settings,
  tray: TrayPresence,
  platform: NodeJS.Platform,
  log: (message: string) => void,
) {
  let isQuitting = false
  let hasFinished = false
  let isUpdating = false

  autoUpdater.on('before-quit-for-update', () => (isUpdating = true))
  // If Squirrel then can't start the update, the app keeps running.
  autoUpdater.on('error', () => (isUpdating = false))

  async function end(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        // A step that fails must not block the remaining ones.
        log(`a shutdown step failed: ${String(error)}`)
      }
    }
  }

  function begin(steps: readonly (() => void | Promise<void>)[]): void {
    isQuitting = true
    const next = launches.keepForNextStart()
    // The last moment before the single-instance lock is released. Installers replace the program and then start it themselves. On
    // Linux, the program has already been replaced.
    app.once('quit', () => {
      if (!isUpdating || platform === 'linux')
        return next.begin(isUpdating && !updaterStartsApp(process.resourcesPath))
      try {
        next.leave()
      } catch (error) {
        log(`could not keep what was opened: ${String(error)}`)
      }
    })
    void end(steps).then(() => {
      hasFinished = true
      app.quit()
    })
  }

  const closingFacts = () => ({
    isQuitting,
    isTrayShown: tray.isShown(),
    closeToTray: settings.view().closeToTray,
  })

  return {
    closingDoes: (): 'hide' | 'quit' => whatClosingDoes(closingFacts()),
    /** Whether an installer ends every process that runs from the program's folder while the app quits. Only Windows locks files in use. */
    endsForInstaller: (): boolean => isUpdating && platform === 'win32',
    quitsWithLastWindow: (): boolean => quitsWithLastWindow(closingFacts()),
    /** Registers the shutdown steps. Each one runs after the previous one has finished. */
    onQuit(steps: readonly (() => void | Promise<void>)[]): void {
      app.on('before-quit', (event) => {
        if (hasFinished) return
        // Electron forgets a prevented quit, so every later one must also be prevented.
        event.preventDefault()
        if (!isQuitting) begin(steps)
      })
    },
  }
}

/** Makes sure that only one instance of the app uses the data folder. */
import type { App } from 'electron'
import { existsSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns false if another instance is already running. That instance has received the launch.
 * @param launch what that instance receives
 * @throws if Electron can't create its lock
 */
export function becomeOnlyInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'getPath'>,
  launch: Record<string, unknown>,
  platform: NodeJS.Platform,
): boolean {
  if (app.requestSingleInstanceLock(launch)) return true
  const folder = app.getPath('userData')
  // Electron also returns false for an error. Chromium doesn't leave a lock behind then.
  if (platform === 'win32') {
    if (existsSync(join(folder, WINDOWS_LOCK))) return false
    throw new Error(`Couldn’t create the lock file ${join(folder, WINDOWS_LOCK)}. The folder is read-only.`)
  }
  if (isLocked(folder)) return false
  throw new Error(
    `Couldn’t create the lock file ${join(folder, LOCK)}, or its socket in ${tmpdir()}. One of these folders is full or read-only, or its disk doesn’t support symbolic links.`,
  )
}

/** Chromium's lock on Windows: a file that disappears when the process ends. */
const WINDOWS_LOCK = 'lockfile'
/** Chromium's lock on macOS and Linux: a symbolic link whose target names the process. */
const LOCK = 'SingletonLock'

function isLocked(folder: string): boolean {
  try {
    readlinkSync(join(folder, LOCK))
    return true
  } catch {
    return false
  }
}

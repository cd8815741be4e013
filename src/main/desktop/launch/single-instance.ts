/** Makes sure that only one instance of the app uses the data folder. */
import type { App } from 'electron'
import { randomUUID } from 'node:crypto'
import { lstatSync, mkdtempSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../../node/errors.ts'

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
  // Electron also returns false after an error. In that case, Chromium doesn't leave a lock. The lock is also missing if the other instance
  // has ended in the meantime, so this checks whether a lock can be created.
  if (!isLocked(join(folder, platform === 'win32' ? 'lockfile' : 'SingletonLock'), platform))
    requireLockable(folder, platform)
  return false
}

/** On Windows, Chromium's lock is a file that disappears when the process ends; elsewhere, a link whose target names the process. */
function isLocked(lock: string, platform: NodeJS.Platform): boolean {
  const found = lstatSync(lock, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (platform === 'win32' || found.isSymbolicLink()) return true
  throw new Error(`Couldn’t create the lock file ${lock}, because something else has this name.`)
}

function requireLockable(folder: string, platform: NodeJS.Platform): void {
  const lock = join(folder, `lock-${randomUUID()}`)
  try {
    if (platform === 'win32') writeFileSync(lock, '')
    else symlinkSync('lock', lock)
    rmSync(lock)
    // Chromium creates its socket in a temporary folder.
    if (platform !== 'win32') rmdirSync(mkdtempSync(join(tmpdir(), 'mediatray-lock-')))
  } catch (error) {
    throw new Error(`Couldn’t create a lock: ${messageOf(error)}`, { cause: error })
  }
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'
import { isLockedError } from './errors.ts'

/**
 * The right to open a data folder's databases. Exactly one process has it: the app, or a host that works for commands. It is an
 * operating-system lock on a file in the folder, so it always ends with its process.
 */
export type OwnerLock = { readonly release: () => void }

/**
 * @param dataDir absolute; exists
 * @returns undefined if another process owns the folder
 * @throws the database's error if the folder can't be used, for example because its file system has no locks
 */
export function takeOwnership(dataDir: string): OwnerLock | undefined {
  const file = join(dataDir, 'owner.lock')
  // Otherwise, another user's process that can read the file could hold a shared lock and keep the owner out.
  keepFilePrivate(file)
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    // The file stays empty. A journal file would make the lock fail on a full disk.
    connection.exec('PRAGMA journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
    return { release: () => connection.close() }
  } catch (error) {
    connection.close()
    if (isLockedError(error)) return undefined
    throw error
  }
}

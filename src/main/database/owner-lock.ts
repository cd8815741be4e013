import { lstatSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'
import { identityOf, isInPlace } from './database.ts'
import { isDamage, isLockedError } from './errors.ts'

/**
 * The right to open a data folder's databases. At most one process has it: the app, or a host that serves commands. It is an
 * operating-system lock on a file in the folder, so it always ends with its process.
 */
export type OwnerLock = NonNullable<ReturnType<typeof takeOwnership>>

/**
 * @param dataDir absolute; exists
 * @returns undefined if another process owns the folder
 * @throws the database's error if the folder can't be used, for example because its file system has no locks
 */
export function takeOwnership(dataDir: string) {
  const file = join(dataDir, 'owner.lock')
  let connection = lockFile(file)
  if (connection === undefined) return undefined
  let identity = identityOf(file)
  return {
    release: (): void => connection?.close(),
    /**
     * Whether this process still owns the folder. If the locked file was removed, tries to lock a new one.
     * @throws the database's error if a new file can't be created
     */
    isHeld: (): boolean => {
      if (isInPlace(file, identity)) return true
      const next = lockFile(file)
      if (next === undefined) return false
      connection?.close()
      connection = next
      identity = identityOf(file)
      return true
    },
  }
}

/** The file that the app locks while it waits for a host to end. */
const WAITING = 'owner.next'

/**
 * Prevents new hosts from becoming the folder's owner. A new host may start before the app notices that the earlier one has ended.
 * @returns a function that ends the reservation
 */
export function reserveOwnership(dataDir: string): () => void {
  const connection = lockFile(join(dataDir, WAITING))
  return () => connection?.close()
}

/** Whether an app is waiting to own the folder. */
export function isReserved(dataDir: string): boolean {
  const connection = lockFile(join(dataDir, WAITING))
  connection?.close()
  return connection === undefined
}

/** @returns undefined if another process has the lock */
function lockFile(file: string): DatabaseSync | undefined {
  // A process of another user could hold a shared lock on a readable file and keep the owner out.
  keepFilePrivate(file)
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    // Don't use a journal file, which would make the lock fail on a full disk. The file stays empty.
    connection.exec('PRAGMA journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    if (isLockedError(error)) return undefined
    if (!isDamage(error) || !lstatSync(file).isFile()) throw error
    // SQLite would have reported a lock first, so no other process has it. Keep the file itself, so that only one process can lock it.
    truncateSync(file)
    return lockFile(file)
  }
}

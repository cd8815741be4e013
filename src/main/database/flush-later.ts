import { close, fdatasync, open } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { hasCode } from '../../node/errors.ts'

/** Writes for which the disk is waited for beside the loop: a slow one would stop everything else for as long. */
export type FlushLater = {
  /** What `work` writes outlives this process when it returns, and a power failure once `flushed` has resolved. */
  write<T>(work: () => T): T
  /** Resolves when everything that was written before the call is on the disk. */
  flushed(): Promise<void>
  /** What is asked for already still comes. */
  close(): void
}

/** The write-ahead log of a database, into which every process that commits writes. */
export type Wal = {
  /** Resolves when all that was written to it is on the disk. */
  sync(): Promise<void>
  close(): void
}

export type OpenWal = (path: string) => Wal

/**
 * @param connection waits for the disk at each commit otherwise
 * @param file its database
 */
export function createFlushLater(
  connection: DatabaseSync,
  file: string,
  openWal: OpenWal = walOnDisk,
): FlushLater {
  // Without one, as on some network drives, there is no file to wait for: there each commit waits itself.
  const hasWal = connection.prepare('PRAGMA journal_mode').get()?.['journal_mode'] === 'wal'
  const wal = openWal(`${file}-wal`)
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  async function flushAfter(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined)
    next = undefined
    await wal.sync()
  }

  return {
    write: (work) => (hasWal ? withoutWaiting(connection, work) : work()),
    flushed() {
      if (!hasWal) return last
      // One that is under way may have begun before the last commit; all that are asked for meanwhile are one after it.
      next ??= flushAfter(last)
      last = next
      return last
    },
    close() {
      void last.catch(() => undefined).then(() => wal.close())
    },
  }
}

/**
 * What `work` writes outlives this process from the moment it returns, and is seen by every other one; the disk is not waited
 * for, so that a power failure may take it until something is written that does wait.
 */
function withoutWaiting<T>(connection: DatabaseSync, work: () => T): T {
  if (connection.isTransaction) return work()
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    connection.exec('PRAGMA synchronous = FULL')
  }
}

/** Opened when it is first needed: not every process writes. */
function walOnDisk(path: string): Wal {
  let descriptor: number | undefined
  return {
    async sync() {
      descriptor ??= await openIfThere(path)
      if (descriptor !== undefined) await promisify(fdatasync)(descriptor)
    },
    close() {
      if (descriptor !== undefined) close(descriptor)
      descriptor = undefined
    },
  }
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await promisify(open)(path, 'r+')
  } catch (error) {
    // Somebody has deleted the folder; that is said elsewhere, and nothing is left that could be waited for.
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

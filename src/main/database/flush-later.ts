import { close, fdatasync, open } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { hasCode } from '../../node/errors.ts'

export type Wal = ReturnType<typeof walOnDisk>

export type OpenWal = (path: string) => Wal

/**
 * Flushes a database's writes to disk asynchronously. Prevents a slow disk from blocking the event loop.
 * @param connection flushes on every commit outside of `write`
 * @param file the database's path
 */
export function createFlushLater(connection: DatabaseSync, file: string, openWal: OpenWal = walOnDisk) {
  // Some network drives don't support WAL. There, each commit is flushed synchronously.
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
    /** Runs `work`. Its writes survive the end of this process immediately, and a power failure once `flushed` has resolved. */
    write: <T>(work: () => T): T => (hasWal ? withoutFlush(connection, work) : work()),
    /** Resolves when everything written before the call is on disk. */
    flushed(): Promise<void> {
      if (!hasWal) return last
      // Don't join the running flush, which may have started before the last commit. Until the next flush starts, all calls share it.
      next ??= flushAfter(last)
      last = next
      return last
    },
    /** Closes the log. Pending flushes still complete. */
    close(): void {
      void last.catch(() => undefined).then(() => wal.close())
    },
  }
}

/** Commits without waiting for the disk. The data survives the end of this process, but a power failure may lose it until it is flushed. */
function withoutFlush<T>(connection: DatabaseSync, work: () => T): T {
  if (connection.isTransaction) return work()
  connection.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    connection.exec('PRAGMA synchronous = FULL')
  }
}

/** Opens the file on first use, because SQLite may not have created it yet. */
function walOnDisk(path: string) {
  let descriptor: number | undefined
  return {
    /** Resolves when everything written to the log is on disk. */
    async sync(): Promise<void> {
      descriptor ??= await openIfThere(path)
      if (descriptor !== undefined) await promisify(fdatasync)(descriptor)
    },
    close(): void {
      if (descriptor !== undefined) close(descriptor)
      descriptor = undefined
    },
  }
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await promisify(open)(path, 'r+')
  } catch (error) {
    // There is nothing to flush. If the log was deleted together with the database, other code reports that.
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

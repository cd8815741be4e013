import type { DatabaseSync } from 'node:sqlite'

/** All of `work` or nothing of it. Takes the write lock at once, so that another process is waited for at the start. */
export function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has rolled back by itself after some errors, a full disk among them.
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

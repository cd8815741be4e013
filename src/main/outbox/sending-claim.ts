import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'

/**
 * The right to send. Two processes that share an outbox (the app and a command) must not both send, because one would treat the
 * other's pending submission as the leftover of a crash. The claim is an operating-system lock on a file next to the outbox, so it
 * always ends with its process.
 */
export type SendingClaim = { take(): boolean; held(): boolean; release(): void }

export function claimSending(file: string): SendingClaim {
  let lock: DatabaseSync | undefined
  return {
    take() {
      lock ??= tryLock(file)
      return lock !== undefined
    },
    held: () => lock !== undefined,
    release() {
      lock?.close()
      lock = undefined
    },
  }
}

/**
 * Whether another process, such as the app, currently sends every waiting submission. A command then sends only its own
 * submissions.
 * @param file path of the outbox's database; its folder must exist
 */
export function isDrainedElsewhere(file: string): boolean {
  const lock = tryLock(drainFile(file))
  lock?.close()
  return lock === undefined
}

/** Path of the lock file for the claim. */
export const claimFile = (outboxFile: string): string => `${outboxFile}-sending`

/** Path of the lock file that a process locks in addition to the claim if it sends every waiting submission. */
export const drainFile = (outboxFile: string): string => `${outboxFile}-sending-all`

function tryLock(file: string): DatabaseSync | undefined {
  // Otherwise, another user's process that can read the file could hold a shared lock and block sending.
  keepFilePrivate(file)
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
    connection.exec('BEGIN EXCLUSIVE')
    return connection
  } catch {
    connection.close()
    return undefined
  }
}

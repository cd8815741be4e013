import { DatabaseSync } from 'node:sqlite'
import { keepFilePrivate } from '../../node/private-files.ts'
import { isLockedError } from '../database/index.ts'

/**
 * The right to send. Two processes that share an outbox (the app and a command) must not both send, because one would treat the
 * other's pending submission as the leftover of a crash. The claim is an operating-system lock on a file next to the outbox, so it
 * always ends with its process.
 */
export type SendingClaim = {
  take(): boolean
  held(): boolean
  /** Returns why the last `take` failed, unless another process has the right. */
  failure(): unknown
  release(): void
}

export function claimSending(file: string): SendingClaim {
  let lock: Lock = { kind: 'elsewhere' }
  return {
    take() {
      if (lock.kind !== 'held') lock = tryLock(file)
      return lock.kind === 'held'
    },
    held: () => lock.kind === 'held',
    failure: () => (lock.kind === 'failed' ? lock.error : undefined),
    release() {
      release(lock)
      lock = { kind: 'elsewhere' }
    },
  }
}

/**
 * Acquires a right for a command.
 * @returns false if another process has it
 * @throws the database's error if the file can't be used, for example because the disk is read-only
 */
export function takeOrThrow(claim: SendingClaim): boolean {
  if (claim.take()) return true
  const failure = claim.failure()
  if (failure !== undefined) throw failure
  return false
}

/**
 * Whether another process, such as the app, currently sends every waiting submission. A command then sends only its own
 * submissions.
 * @param file path of the outbox's database; its folder must exist
 */
export function isDrainedElsewhere(file: string): boolean {
  const lock = tryLock(drainFile(file))
  release(lock)
  return lock.kind === 'elsewhere'
}

/** Path of the lock file for the claim. */
export const claimFile = (outboxFile: string): string => `${outboxFile}-sending`

/** Path of the lock file that a process locks in addition to the claim if it sends every waiting submission. */
export const drainFile = (outboxFile: string): string => `${outboxFile}-sending-all`

type Lock =
  | { readonly kind: 'held'; readonly connection: DatabaseSync }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'failed'; readonly error: unknown }

function tryLock(file: string): Lock {
  // Otherwise, another user's process that can read the file could hold a shared lock and block sending.
  keepFilePrivate(file)
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    // The file stays empty. A journal file would make the lock fail on a full disk.
    connection.exec('PRAGMA journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
    return { kind: 'held', connection }
  } catch (error) {
    connection.close()
    return isLockedError(error) ? { kind: 'elsewhere' } : { kind: 'failed', error }
  }
}

function release(lock: Lock): void {
  if (lock.kind === 'held') lock.connection.close()
}

import { DatabaseSync } from 'node:sqlite'

/**
 * Who may send. Two processes that share an outbox (the app and a command) must not: one would take what the other is
 * just sending for the remains of a crash. The claim is a lock of the operating system on a file next to the outbox, so
 * it ends with its process, however that ends.
 */
export function claimSending(file: string): { take(): boolean; held(): boolean; release(): void } {
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

/** Whether another process is the one that sends, at this moment. @param file the outbox's; its folder has to exist */
export function isSendingElsewhere(file: string): boolean {
  const lock = tryLock(claimFile(file))
  lock?.close()
  return lock === undefined
}

/** The file whose lock is the claim to an outbox. */
export const claimFile = (outboxFile: string): string => `${outboxFile}-sending`

function tryLock(file: string): DatabaseSync | undefined {
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

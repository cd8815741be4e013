import type { DatabaseFile } from '../database/index.ts'

export type Writes = ReturnType<typeof createWrites>

/** @param announce notifies the outbox's listeners */
export function createWrites({ write, writeLater, flushed }: DatabaseFile, announce: () => void) {
  function announced<T>(result: T): T {
    announce()
    return result
  }

  return {
    /** The transaction is on disk when this returns. */
    now: <T>(work: () => T): T => announced(write(work)),
    /** Like `now`, but a power failure may revert the transaction until the file has been flushed. */
    later: <T>(work: () => T): T => announced(writeLater(work)),
    /** Like `later`, but notifies no one, because nothing visible changes. */
    hidden: writeLater,
    flushed,
  }
}

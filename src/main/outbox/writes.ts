import type { DatabaseSync } from 'node:sqlite'
import { inTransaction, reportWrite, type FlushLater, type WriteListener } from '../database/index.ts'

export type Writes = ReturnType<typeof createWrites>

/**
 * Runs transactions and reports their outcome to the write listener.
 * @param announce notifies the outbox's listeners
 */
export function createWrites(
  connection: DatabaseSync,
  flush: FlushLater,
  listener: WriteListener | undefined,
  announce: () => void,
) {
  const stored = <T>(work: () => T): T => reportWrite(listener, () => inTransaction(connection, work))
  const hidden = <T>(work: () => T): T => flush.write(() => stored(work))

  function announced<T>(result: T): T {
    announce()
    return result
  }

  return {
    /** The transaction is on disk when this returns. */
    now: <T>(work: () => T): T => announced(stored(work)),
    /** Like `now`, but a power failure may revert the transaction until `flushed` has resolved. */
    later: <T>(work: () => T): T => announced(hidden(work)),
    /** Like `later`, but notifies no one, because nothing visible changes. */
    hidden,
    /** Resolves when everything written so far is on disk. */
    flushed: () => flush.flushed(),
  }
}

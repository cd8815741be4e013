import type { DatabaseSync } from 'node:sqlite'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { rowsOf, table, textAs } from '../database/index.ts'
import type { Writes } from './writes.ts'

const marks = (name: string) => table(name, { id: textAs(asRecordId) }, { key: ['id'] })

/** Jobs that the user started although quiet mode holds jobs back. */
export const Exempt = marks('exempt')
/** Jobs that the user asked to cancel. Stored before the request goes to the service. */
export const CancelRequests = marks('cancel_requests')

/**
 * Stores decisions about jobs until the jobs end. The decisions aren't part of a submission, because a submission leaves the outbox once
 * the service accepts it. They survive a restart, so that a canceled job isn't resumed, and an exempt job doesn't wait again.
 */
export function marksIn(described: typeof Exempt, connection: DatabaseSync, writes: Writes) {
  const rows = rowsOf(connection, described)
  const each = (ids: readonly RecordId[], write: (row: { readonly id: RecordId }) => unknown): void => {
    if (ids.length > 0) writes.now(() => ids.forEach((id) => void write({ id })))
  }
  return {
    /** Adds marks, which are on disk when this returns. */
    add: (...ids: readonly RecordId[]) => each(ids, rows.add),
    has: (id: RecordId) => rows.has({ id }),
    all: (): readonly RecordId[] => rows.all().map(({ id }) => id),
    drop: (...ids: readonly RecordId[]) => each(ids, rows.remove),
  }
}

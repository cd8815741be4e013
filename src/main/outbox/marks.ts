import type { DatabaseSync } from 'node:sqlite'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { rowsOf, table, textAs } from '../database/index.ts'
import type { Writes } from './writes.ts'

const marks = (name: string) => table(name, { id: textAs(asRecordId) }, { key: ['id'] })

/** Jobs that the user started although quiet mode holds jobs back. */
export const Exempt = marks('exempt')
/** What the user has canceled. A request is noted before the service is asked. */
export const CancelRequests = marks('cancel_requests')

/**
 * What the user has decided about jobs until they end. It isn't a state of a submission, which leaves the outbox when the service accepts
 * it. It survives this process, so that a canceled job isn't resumed, and one that was started anyway doesn't wait again.
 */
export function marksIn(described: typeof Exempt, connection: DatabaseSync, writes: Writes) {
  const rows = rowsOf(connection, described)
  const each = (ids: readonly RecordId[], write: (row: { readonly id: RecordId }) => unknown): void => {
    if (ids.length > 0) writes.now(() => ids.forEach((id) => void write({ id })))
  }
  return {
    /** On disk when this returns. */
    add: (...ids: readonly RecordId[]) => each(ids, rows.add),
    has: (id: RecordId) => rows.has({ id }),
    all: (): readonly RecordId[] => rows.all().map(({ id }) => id),
    drop: (...ids: readonly RecordId[]) => each(ids, rows.remove),
  }
}

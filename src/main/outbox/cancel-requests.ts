import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Writes } from './writes.ts'

/**
 * What the user has canceled, until it has ended. A request is noted before the service is asked, so it survives the service and this
 * process.
 */
export type CancelRequests = {
  /** On disk when this returns. */
  add(id: RecordId): void
  has(id: RecordId): boolean
  all(): readonly RecordId[]
  drop(id: RecordId): void
}

const Row = z.object({ id: z.string().transform(asRecordId) })

export function storeCancelRequests(connection: DatabaseSync, writes: Writes): CancelRequests {
  const insert = connection.prepare('INSERT INTO cancel_requests (id) VALUES (?) ON CONFLICT DO NOTHING')
  const one = connection.prepare('SELECT id FROM cancel_requests WHERE id = ?')
  const all = connection.prepare('SELECT id FROM cancel_requests')
  const drop = connection.prepare('DELETE FROM cancel_requests WHERE id = ?')
  return {
    add: (id) => writes.now(() => void insert.run(id)),
    has: (id) => one.get(id) !== undefined,
    all: () => all.all().map((row) => Row.parse(row).id),
    drop: (id) => writes.now(() => void drop.run(id)),
  }
}

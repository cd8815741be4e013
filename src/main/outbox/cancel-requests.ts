import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Writes } from './writes.ts'

/** Jobs that another process is to cancel, because only the process that runs a job can reach its built-in service. */
export type CancelRequests = {
  add(id: RecordId): void
  /** Returns the requests and removes them. */
  take(): readonly RecordId[]
}

const Row = z.object({ id: z.string().transform(asRecordId) })

export function storeCancelRequests(connection: DatabaseSync, writes: Writes): CancelRequests {
  const insert = connection.prepare('INSERT INTO cancel_requests (id) VALUES (?) ON CONFLICT DO NOTHING')
  const all = connection.prepare('SELECT id FROM cancel_requests')
  const drop = connection.prepare('DELETE FROM cancel_requests')
  return {
    add: (id) => writes.now(() => void insert.run(id)),
    take() {
      const ids = all.all().map((row) => Row.parse(row).id)
      if (ids.length > 0) writes.now(() => void drop.run())
      return ids
    },
  }
}

import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Writes } from './writes.ts'

/**
 * What the user has decided about jobs until they end. It isn't a state of a submission, which leaves the outbox when the service accepts
 * it. It survives this process, so that a canceled job isn't resumed, and one that was started anyway doesn't wait again.
 */
export type Marks = {
  /** On disk when this returns. */
  add(...ids: readonly RecordId[]): void
  has(id: RecordId): boolean
  all(): readonly RecordId[]
  drop(...ids: readonly RecordId[]): void
}

const Row = z.object({ id: z.string().transform(asRecordId) })

export function marksIn(
  table: 'cancel_requests' | 'exempt',
  connection: DatabaseSync,
  writes: Writes,
): Marks {
  const insert = connection.prepare(`INSERT OR IGNORE INTO ${table} (id) VALUES (?)`)
  const one = connection.prepare(`SELECT 1 FROM ${table} WHERE id = ?`)
  const all = connection.prepare(`SELECT id FROM ${table}`)
  const drop = connection.prepare(`DELETE FROM ${table} WHERE id = ?`)
  const each = (statement: typeof insert, ids: readonly RecordId[]): void => {
    if (ids.length > 0) writes.now(() => ids.forEach((id) => void statement.run(id)))
  }
  return {
    add: (...ids) => each(insert, ids),
    has: (id) => one.get(id) !== undefined,
    all: () => all.all().map((row) => Row.parse(row).id),
    drop: (...ids) => each(drop, ids),
  }
}

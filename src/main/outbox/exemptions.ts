import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Writes } from './writes.ts'

/**
 * The jobs that the user started although quiet mode holds jobs back. They are separate from the submissions, because an accepted job
 * stays exempt until it ends.
 */
export type Exemptions = {
  ids(): readonly RecordId[]
  change(change: { readonly add: readonly RecordId[]; readonly remove: readonly RecordId[] }): void
}

const IdRow = z.object({ id: z.string().transform(asRecordId) })

export function storeExemptions(connection: DatabaseSync, writes: Writes): Exemptions {
  const all = connection.prepare('SELECT id FROM exempt')
  const insert = connection.prepare('INSERT INTO exempt (id) VALUES (?) ON CONFLICT DO NOTHING')
  const drop = connection.prepare('DELETE FROM exempt WHERE id = ?')
  return {
    ids: () => all.all().map((row) => IdRow.parse(row).id),
    change: ({ add, remove }) =>
      writes.now(() => {
        for (const id of remove) drop.run(id)
        for (const id of add) insert.run(id)
      }),
  }
}

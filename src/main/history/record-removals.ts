/** Removes records from the list or deletes them. All parts of a group are removed together. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { RecordId } from '../../shared/model/ids.ts'
import { inTransaction } from '../database/index.ts'
import type { RecordGroups } from './record-groups.ts'
import type { RecordStatements } from './record-statements.ts'
import { rebuildIndex, type SearchIndex } from './search-index.ts'
import { listTerms } from './search-terms.ts'

const SeqRow = z.object({ seq: z.number() })

export function recordRemovals(
  connection: DatabaseSync,
  sql: RecordStatements,
  index: SearchIndex,
  groups: RecordGroups,
) {
  const keysOf = (id: RecordId): readonly number[] =>
    sql.sameJob.all({ id }).map((row) => SeqRow.parse(row).seq)

  return {
    remove: (id: RecordId, now: number): boolean =>
      inTransaction(connection, () => {
        for (const seq of keysOf(id)) index.remove(seq)
        return sql.remove.run({ id, now }).changes > 0
      }),

    restore: (id: RecordId): boolean =>
      inTransaction(connection, () => {
        const restored = sql.restore.run({ id }).changes > 0
        const [first] = keysOf(id)
        if (restored && first !== undefined) groups.restored(first, id)
        return restored
      }),

    forget: (id: RecordId): boolean =>
      inTransaction(connection, () => {
        for (const seq of keysOf(id)) index.remove(seq)
        return sql.forget.run({ id }).changes > 0
      }),

    /** Permanently deletes records that were removed from the list before `time`. */
    purge: (time: number): void => void sql.purge.run(time),

    /**
     * Deletes records that ended before `time`.
     * @returns how many were deleted
     */
    dropOver: (time: number): number =>
      inTransaction(connection, () => {
        sql.unindexOver.run({ time })
        const dropped = Number(sql.dropOver.run({ time }).changes)
        if (dropped > 0) listTerms(connection)
        return dropped
      }),

    /** Returns the space of deleted records to the file system. */
    shrink(): void {
      connection.exec('VACUUM')
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },

    /** Rebuilds a damaged search index from the records. */
    rebuildIndex: (): void => inTransaction(connection, () => rebuildIndex(connection)),
  }
}

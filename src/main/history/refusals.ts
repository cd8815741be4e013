/** What assistants were refused. Only the newest refusals are kept, so that an assistant can't fill the disk. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { REFUSAL_REASONS, type Refusal } from '../../shared/model/assistants.ts'

export const refusalSchema = `
  CREATE TABLE refusals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;`

/** How many refusals are kept. */
const KEPT = 100
/** Longer paths are cut, in characters. */
const MAX_PATH = 4_096

const RefusalRow = z.object({ path: z.string(), reason: z.enum(REFUSAL_REASONS), at: z.number() })

export type Refusals = {
  /** Stores a refusal. A repetition of the last one only changes its time. */
  add(refusal: Refusal): void
  /** Returns the newest refusals first. */
  newest(count: number): readonly Refusal[]
}

type Use = <T>(work: (table: RefusalTable) => T) => T

/** @param change like `use`, for changes that the user sees */
export const refusalsIn = (use: Use, change: Use): Refusals => ({
  add: (refusal) => change((table) => table.addRefusal(refusal)),
  newest: (count) => use((table) => table.newestRefusals(count)),
})

type RefusalTable = ReturnType<typeof refusalTable>

export function refusalTable(connection: DatabaseSync) {
  const repeat = connection.prepare(
    `UPDATE refusals SET at = :at
     WHERE number = (SELECT max(number) FROM refusals) AND path = :path AND reason = :reason`,
  )
  const insert = connection.prepare('INSERT INTO refusals (path, reason, at) VALUES (:path, :reason, :at)')
  const trim = connection.prepare(
    `DELETE FROM refusals WHERE number <= (SELECT max(number) FROM refusals) - ${KEPT}`,
  )
  const newest = connection.prepare('SELECT path, reason, at FROM refusals ORDER BY number DESC LIMIT ?')
  return {
    addRefusal({ path, reason, at }: Refusal): void {
      const row = { path: path.slice(0, MAX_PATH), reason, at }
      if (repeat.run(row).changes > 0) return
      insert.run(row)
      trim.run()
    },
    dropRefusals: (): void => connection.exec('DELETE FROM refusals'),
    /** Leaves out those with a reason that this version doesn't know. */
    newestRefusals: (count: number): readonly Refusal[] =>
      newest.all(count).flatMap((row) => RefusalRow.safeParse(row).data ?? []),
  }
}

/** Compares the rows of a database with its indexes. `quick_check` doesn't, and `integrity_check` takes several times as long. */
import type { DatabaseSync } from 'node:sqlite'

/** Whether every index finds every row of its table. Skips partial indexes, because checking them takes too long. */
export function hasWholeKeys(connection: DatabaseSync): boolean {
  const columns = connection.prepare('SELECT name FROM pragma_index_xinfo(?) WHERE cid >= 0')
  const indexes = connection
    .prepare(
      `SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND sql NOT LIKE '% WHERE %'`,
    )
    .all()
  return indexes.every(({ name, tbl_name: table }) => {
    const isSame = columns
      .all(name ?? null)
      .map((column) => `found.${String(column['name'])} IS stored.${String(column['name'])}`)
    // Select all columns to make SQLite read the rows instead of the index.
    const lost = connection.prepare(`SELECT * FROM ${String(table)} AS stored NOT INDEXED WHERE NOT EXISTS (
        SELECT 1 FROM ${String(table)} AS found INDEXED BY ${String(name)} WHERE ${isSame.join(' AND ')}
      ) LIMIT 1`)
    lost.setReadBigInts(true)
    return lost.get() === undefined
  })
}

/**
 * Repairs or removes rows that can't be read, because they would hide the others. Most damage to a value leaves the file's structure
 * intact.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { inTransaction } from './database.ts'

type Described = {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Readonly<
    Record<string, { read(stored: SQLOutputValue): unknown; write(value: unknown): SQLInputValue }>
  >
}

/** @param remove repairs or removes the rows */
type OnUnreadable = (remove: () => void) => void

const handlers = new WeakMap<DatabaseSync, OnUnreadable>()

/** Sets the handler to call when rows of a database can't be read. The handler calls `remove` to repair or remove them. */
export const onUnreadable = (connection: DatabaseSync, handler: OnUnreadable): void =>
  void handlers.set(connection, handler)

/** Creates a function that reads rows of a table. Repairs or removes rows that can't be read, and then reads again. */
export function reading(connection: DatabaseSync, table: Described) {
  return <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      const handler = handlers.get(connection)
      if (handler === undefined || isFromSqlite(error)) throw error
      const repairs = repairsOf(connection, table)
      if (repairs.length === 0) throw error
      handler(() => inTransaction(connection, () => repairs.forEach((repair) => repair())))
      return read()
    }
  }
}

const isFromSqlite = (error: unknown): boolean => error instanceof Error && 'errcode' in error

/**
 * Returns repairs for the rows that can't be read. They replace numbers that are too large with the column's value for unreadable data, and
 * remove rows that can't be repaired this way.
 */
function repairsOf(connection: DatabaseSync, { name, columns, key }: Described): readonly (() => void)[] {
  const statement = connection.prepare(`SELECT ${Object.keys(columns).join(', ')} FROM ${name}`)
  statement.setReadBigInts(true)
  const isRow = key.map((column) => `${column} = ?`).join(' AND ')
  return statement.all().flatMap((row) => {
    const ofKey = key.map((column) => row[column] ?? null)
    const changes = changesIn(row, columns)
    if (changes === undefined)
      return () => void connection.prepare(`DELETE FROM ${name} WHERE ${isRow}`).run(...ofKey)
    return Object.entries(changes).map(
      ([column, value]) =>
        () =>
          void connection.prepare(`UPDATE ${name} SET ${column} = ? WHERE ${isRow}`).run(value, ...ofKey),
    )
  })
}

/** @returns new values for numbers that are too large; undefined if the row can't be read */
function changesIn(
  row: Readonly<Record<string, SQLOutputValue>>,
  columns: Described['columns'],
): Readonly<Record<string, SQLInputValue>> | undefined {
  const changes: Record<string, SQLInputValue> = {}
  try {
    for (const [name, column] of Object.entries(columns)) {
      const stored = row[name] ?? null
      const value = typeof stored === 'bigint' ? asNumber(stored) : stored
      const readable = column.read(value)
      if (typeof value === 'bigint') changes[name] = column.write(readable)
    }
    return changes
  } catch {
    return undefined
  }
}

/** Converts an integer to a number, unless it is too large. */
function asNumber(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}

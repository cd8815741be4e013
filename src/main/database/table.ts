/**
 * Describes each table once. The description defines the SQL that creates the table, the type of its rows, and how values are stored.
 * Columns have the names of the rows' fields. SQL ignores their case.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import type * as z from 'zod'
import { reading } from './unreadable-rows.ts'

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How a value is stored. `read` throws if the stored value isn't valid for the column. */
export type Column<Value> = {
  /** The column's type and constraints. */
  readonly sql: string
  write(value: Value): SQLInputValue
  read(stored: SQLOutputValue): Value
}

const stored = <Kind extends SQLOutputValue>(
  sql: string,
  is: (value: SQLOutputValue) => value is Kind,
): Column<Kind> => ({
  sql,
  write: (value) => value,
  read(value) {
    if (!is(value)) throw new TypeError(`Expected ${sql}, but found ${typeof value}`)
    return value
  },
})

export const text = stored('TEXT NOT NULL', (value) => typeof value === 'string')
export const integer = stored('INTEGER NOT NULL', (value) => typeof value === 'number')
export const real = stored('REAL NOT NULL', (value) => typeof value === 'number')
export const bytes: Column<Uint8Array> = stored('BLOB NOT NULL', (value) => value instanceof Uint8Array)

/** The number of a row. The database assigns it if it is omitted. Use it only as the key. */
export const serial: Column<number> & { readonly isNullable: true } = { ...integer, isNullable: true }

/** @param read parses stored text; throws if it is invalid */
export const asText = <Value>(
  write: (value: Value) => string,
  read: (stored: string) => Value,
): Column<Value> => ({ sql: text.sql, write, read: (value) => read(text.read(value)) })

/** @param read converts text to its type, such as a branded ID; throws for any other text */
export const textAs = <Value extends string>(read: (stored: string) => Value): Column<Value> =>
  asText((value) => value, read)

export const oneOf = <const Value extends string>(values: readonly Value[]): Column<Value> =>
  textAs((value) => {
    const known = values.find((one) => one === value)
    if (known === undefined) throw new TypeError(`Expected one of ${values.join(', ')}, but found ${value}`)
    return known
  })

export const flag: Column<boolean> = {
  sql: integer.sql,
  write: Number,
  read: (value) => integer.read(value) === 1,
}

/** @param write serializes a value to JSON; by default `JSON.stringify` */
export const json = <Value>(
  schema: z.ZodType<Value>,
  write: (value: Value) => string = JSON.stringify,
): Column<Value> => asText(write, (stored) => schema.parse(JSON.parse(stored)))

/** Reads an invalid value as undefined or as the fallback. This keeps the rest of the row readable. */
export function tolerant<Value>(column: Column<Value>): Column<Value | undefined>
export function tolerant<Value>(column: Column<Value>, fallback: Value): Column<Value>
export function tolerant<Value>(column: Column<Value>, fallback?: Value): Column<Value | undefined> {
  return {
    sql: column.sql,
    write: (value) => (value === undefined ? null : column.write(value)),
    read(value) {
      try {
        return column.read(value)
      } catch {
        return fallback
      }
    },
  }
}

export type Nullable<Value> = Column<Value | null> & { readonly isNullable: true }

export const nullable = <Value>(column: Column<Value>): Nullable<Value> => ({
  sql: column.sql.replace(' NOT NULL', ''),
  write: (value) => (value === null ? null : column.write(value)),
  read: (value) => (value === null ? null : column.read(value)),
  isNullable: true,
})

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Columns = Readonly<Record<string, Column<unknown>>>

export type Table<Of extends Columns> = {
  readonly name: string
  readonly columns: Of
  readonly key: readonly string[]
  /** Creates the table and its indexes. */
  readonly sql: string
}

type ValueOf<Of> = Of extends Column<infer Value> ? Value : never
type RowIn<Of extends Columns> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> }
type NullableIn<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends Nullable<unknown> ? Name : never
}[keyof Of]

/** The type of a row as read from the table. */
export type RowOf<Described> = Described extends Table<infer Of> ? RowIn<Of> : never
/** A row to write. Columns that may be null can be omitted. */
export type NewRow<Of extends Columns> = Omit<RowIn<Of>, NullableIn<Of>> &
  Some<Pick<RowIn<Of>, NullableIn<Of>>>
type Some<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined }

/**
 * @param key the primary key. Rows are stored in its order.
 * @param also further constraints, such as `FOREIGN KEY`
 * @param indexes by name, the SQL that follows `CREATE INDEX name ON table`
 */
export function table<const Of extends Columns>(
  name: string,
  columns: Of,
  {
    key,
    also = [],
    indexes = {},
  }: {
    readonly key: readonly (keyof Of & string)[]
    readonly also?: readonly string[]
    readonly indexes?: Readonly<Record<string, string>>
  },
): Table<Of> {
  const lines = Object.entries(columns).map(([column, { sql }]) => `${column} ${sql}`)
  const body = [...lines, `PRIMARY KEY (${key.join(', ')})`, ...also].join(',\n  ')
  // SQLite numbers rows only in tables with a rowid.
  const described: Columns = columns
  const isNumbered = key.some((column) => described[column] === serial)
  const created = `CREATE TABLE ${name} (\n  ${body}\n) STRICT${isNumbered ? '' : ', WITHOUT ROWID'};`
  const indexed = Object.entries(indexes).map(
    ([index, on]) => `CREATE INDEX ${name}_${index} ON ${name} ${on};`,
  )
  return { name, columns, key, sql: [created, ...indexed].join('\n') }
}

/** Reads and writes the rows of a table. Statements are prepared once. */
export function rowsOf<Of extends Columns>(connection: DatabaseSync, described: Table<Of>) {
  type Row = RowIn<Of>
  const { name, columns, key } = described
  const names = Object.keys(columns)
  const prepared = preparing(connection)
  const source = { prepared, reading: reading(connection, described) }

  const write = (row: object, of: readonly string[]): SQLInputValue[] =>
    of.map((column) => writeAs(columns[column], Reflect.get(row, column)))
  const insert = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  const others = names.filter((column) => !key.includes(column))
  const overwritten = others.map((column) => `${column} = excluded.${column}`).join(', ')
  const conflict = `ON CONFLICT (${key.join(', ')}) DO`

  return {
    ...readsOf<Row, Row>(source, described, names),
    /** Reads only these columns, to avoid parsing large ones. */
    only: <Name extends keyof Of & string>(...chosen: readonly Name[]) =>
      readsOf<Row, Pick<Row, Name>>(source, described, chosen),

    /**
     * Inserts a row.
     * @returns the number of the row, if the table numbers its rows
     * @throws the database's error if the key or another unique value exists
     */
    insert: (row: NewRow<Of>): number => Number(prepared(insert).run(...write(row, names)).lastInsertRowid),
    /** Inserts a row unless its key or another unique column already exists. @returns whether it was inserted */
    add: (row: NewRow<Of>): boolean =>
      prepared(`${insert} ON CONFLICT DO NOTHING`).run(...write(row, names)).changes > 0,
    /** Inserts a row, or overwrites the row with the same key. */
    put: (row: NewRow<Of>): void =>
      void prepared(
        `${insert} ${conflict} ${overwritten === '' ? 'NOTHING' : `UPDATE SET ${overwritten}`}`,
      ).run(...write(row, names)),
    /**
     * Updates the matching rows. Columns whose new value is undefined stay unchanged.
     * @returns the number of rows that matched
     */
    update(where: Partial<Row>, changes: Some<Row>): number {
      const changed = Object.entries(changes).flatMap(([column, value]) =>
        value === undefined ? [] : column,
      )
      const assigned = changed.map((column) => `${column} = ?`).join(', ')
      const update = prepared(`UPDATE ${name} SET ${assigned}${whereOf(where)}`)
      return Number(update.run(...write(changes, changed), ...write(where, comparedIn(where))).changes)
    },
    remove: (where: Partial<Row>): number =>
      Number(
        prepared(`DELETE FROM ${name}${whereOf(where)}`).run(...write(where, comparedIn(where))).changes,
      ),
  }
}

type Reads<Whole extends object, Row extends object> = {
  get(where: Partial<Whole>): Row | undefined
  has(where: Partial<Whole>): boolean
  all(where?: Partial<Whole>): readonly Row[]
  /** Returns the rows that meet a condition in SQL, which may continue with `ORDER BY` and `LIMIT`. */
  where(condition: TemplateStringsArray, ...given: readonly Given[]): readonly Row[]
  /** Reads with this index of the table. */
  indexedBy(index: string): Reads<Whole, Row>
}

type Source = { readonly prepared: Prepare; readonly reading: ReturnType<typeof reading> }

/** @param names the columns that are read */
function readsOf<Whole extends object, Row extends object>(
  source: Source,
  described: Pick<Table<Columns>, 'name' | 'columns'>,
  names: readonly string[],
  from = described.name,
): Reads<Whole, Row> {
  const { prepared, reading } = source
  const { name, columns } = described
  const select = `SELECT ${names.join(', ')} FROM ${from}`
  const write = (where: object) =>
    comparedIn(where).map((column) => writeAs(columns[column], Reflect.get(where, column)))
  const read: (found: Record<string, SQLOutputValue>) => Row = readerOf(columns, names)

  return {
    get: (where) =>
      reading(() => {
        const found = prepared(`${select}${whereOf(where)} LIMIT 1`).get(...write(where))
        return found && read(found)
      }),
    has: (where) =>
      prepared(`SELECT 1 FROM ${from}${whereOf(where)} LIMIT 1`).get(...write(where)) !== undefined,
    all: (where = {}) =>
      reading(() =>
        prepared(select + whereOf(where))
          .all(...write(where))
          .map(read),
      ),
    where(condition, ...given) {
      const { sql, values } = fragment(condition, ...given)
      return reading(() =>
        prepared(`${select} WHERE ${sql}`)
          .all(...values)
          .map(read),
      )
    },
    indexedBy: (index) => readsOf(source, described, names, `${name} INDEXED BY ${name}_${index}`),
  }
}

// ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of a statement, such as a condition that several statements share. */
export type Fragment = { readonly sql: string; readonly values: readonly SQLInputValue[] }

type Given = SQLInputValue | Fragment

/** Builds a fragment from a template. Inserts fragments as SQL, and binds everything else as a value. */
export function fragment(text: TemplateStringsArray, ...given: readonly Given[]): Fragment {
  const fragments = given.map((one) =>
    typeof one === 'object' && one !== null && 'sql' in one ? one : { sql: '?', values: [one] },
  )
  return {
    sql: String.raw({ raw: text }, ...fragments.map(({ sql }) => sql)),
    values: fragments.flatMap(({ values }) => values),
  }
}

/** Creates a function that runs changes for which tables have no method. The function returns the number of changed rows. */
export function changing(connection: DatabaseSync) {
  const prepared = preparing(connection)
  return (text: TemplateStringsArray, ...given: readonly Given[]): number => {
    const { sql, values } = fragment(text, ...given)
    return Number(prepared(sql).run(...values).changes)
  }
}

/** Creates a function that runs queries whose rows have these columns, such as counts. */
export function selecting<const Of extends Columns>(prepared: Prepare, columns: Of) {
  const read: (found: Record<string, SQLOutputValue>) => RowIn<Of> = readerOf(columns, Object.keys(columns))
  return (text: TemplateStringsArray, ...given: readonly Given[]): readonly RowIn<Of>[] => {
    const { sql, values } = fragment(text, ...given)
    return prepared(sql)
      .all(...values)
      .map(read)
  }
}

type Prepare = (sql: string) => StatementSync

/** Creates a function that prepares each statement once. */
export function preparing(connection: DatabaseSync): Prepare {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

/** Creates a function that reads a row. The columns determine the types of its fields. */
function readerOf(
  columns: Columns,
  names: readonly string[],
): (found: Record<string, SQLOutputValue>) => never {
  const readers = names.map((column) => ({ column, of: columns[column] }))
  return (found) => {
    const row: Record<string, unknown> = {}
    for (const { column, of } of readers) row[column] = of?.read(found[column] ?? null)
    return row as never
  }
}

const writeAs = (column: Column<unknown> | undefined, value: unknown): SQLInputValue => {
  if (column === undefined) throw new TypeError('Unknown column')
  return column.write(value ?? null)
}

/** Returns the columns to compare with a value other than null. */
const comparedIn = (where: object): string[] =>
  Object.entries(where).flatMap(([column, value]) => (value === null ? [] : column))

/** Returns the `WHERE` clause. Only `=` uses indexes that leave out null, but only `IS NULL` finds null. */
const whereOf = (where: object): string => {
  const conditions = Object.entries(where).map(([column, value]) =>
    value === null ? `${column} IS NULL` : `${column} = ?`,
  )
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

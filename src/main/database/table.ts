/**
 * A table is described once. Its description gives the SQL that creates it, the type of its rows, and how values are stored. Columns
 * have the names of the rows' fields, and SQL ignores their case.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import type * as z from 'zod'

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How a value is stored. Both methods throw a TypeError if it doesn't belong there. */
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
    if (!is(value)) throw new TypeError(`Stored ${typeof value} instead of ${sql}`)
    return value
  },
})

export const text = stored('TEXT NOT NULL', (value) => typeof value === 'string')
export const integer = stored('INTEGER NOT NULL', (value) => typeof value === 'number')
export const real = stored('REAL NOT NULL', (value) => typeof value === 'number')

/** The number of a row, which the database chooses if it is left out. Only as the key. */
export const serial: Column<number> & { readonly isNullable: true } = { ...integer, isNullable: true }

/** @param read returns the value that a text stands for; throws if there is none */
export const asText = <Value>(
  write: (value: Value) => string,
  read: (stored: string) => Value,
): Column<Value> => ({ sql: text.sql, write, read: (value) => read(text.read(value)) })

/** @param read returns a text as its type, such as a branded ID; throws if it has another one */
export const textAs = <Value extends string>(read: (stored: string) => Value): Column<Value> =>
  asText((value) => value, read)

export const oneOf = <const Value extends string>(values: readonly Value[]): Column<Value> =>
  textAs((value) => {
    const known = values.find((one) => one === value)
    if (known === undefined) throw new TypeError(`Stored ${value} instead of ${values.join(', ')}`)
    return known
  })

export const flag: Column<boolean> = {
  sql: integer.sql,
  write: Number,
  read: (value) => integer.read(value) === 1,
}

/** @param write returns JSON of a value; by default `JSON.stringify` */
export const json = <Value>(
  schema: z.ZodType<Value>,
  write: (value: Value) => string = JSON.stringify,
): Column<Value> => asText(write, (stored) => schema.parse(JSON.parse(stored)))

/** A value that can't be read is undefined, so that it doesn't make the others unreadable. */
export const tolerant = <Value>(column: Column<Value>): Column<Value | undefined> => ({
  sql: column.sql,
  write: (value) => (value === undefined ? null : column.write(value)),
  read(value) {
    try {
      return column.read(value)
    } catch {
      return undefined
    }
  },
})

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

/** A row as it is read. */
export type RowOf<Described> = Described extends Table<infer Of> ? RowIn<Of> : never
/** A row to be written. Columns that may be null can be left out. */
export type NewRow<Of extends Columns> = Omit<RowIn<Of>, NullableIn<Of>> &
  Partial<Pick<RowIn<Of>, NullableIn<Of>>>

/**
 * @param key the primary key. Rows are stored in its order.
 * @param also further constraints, such as `FOREIGN KEY`
 * @param indexes what follows `CREATE INDEX name ON table`, by name
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
  // Only tables with a rowid number their rows.
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
  type Some = Partial<Row>
  const { name, columns, key } = described
  const names = Object.keys(columns)
  const prepared = preparing(connection)

  const write = (row: object, of: readonly string[]): SQLInputValue[] =>
    of.map((column) => writeAs(columns[column], Reflect.get(row, column)))
  const insert = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  const others = names.filter((column) => !key.includes(column))
  const overwritten = others.map((column) => `${column} = excluded.${column}`).join(', ')
  const conflict = `ON CONFLICT (${key.join(', ')}) DO`

  return {
    ...readsOf<Row, Row>(prepared, described, names),
    /** Reads only these columns, so that large ones needn't be parsed. */
    only: <Name extends keyof Of & string>(...chosen: readonly Name[]) =>
      readsOf<Row, Pick<Row, Name>>(prepared, described, chosen),

    /** @returns the number of the row, if its table has them. @throws the database's error if there is such a row */
    insert: (row: NewRow<Of>): number => Number(prepared(insert).run(...write(row, names)).lastInsertRowid),
    /** Inserts a row unless its key or another unique column already exists. @returns whether it was inserted */
    add: (row: NewRow<Of>): boolean =>
      prepared(`${insert} ON CONFLICT DO NOTHING`).run(...write(row, names)).changes > 0,
    /** Inserts a row, or overwrites the one with its key. */
    put: (row: NewRow<Of>): void =>
      void prepared(
        `${insert} ${conflict} ${overwritten === '' ? 'NOTHING' : `UPDATE SET ${overwritten}`}`,
      ).run(...write(row, names)),
    /** @returns the number of rows that were there */
    update: (where: Some, changes: Some): number =>
      Number(
        prepared(`UPDATE ${name} SET ${assigned(changes)}${whereOf(where)}`).run(
          ...write(changes, Object.keys(changes)),
          ...write(where, comparedIn(where)),
        ).changes,
      ),
    remove: (where: Some): number =>
      Number(
        prepared(`DELETE FROM ${name}${whereOf(where)}`).run(...write(where, comparedIn(where))).changes,
      ),
  }
}

type Reads<Whole extends object, Row extends object> = {
  get(where: Partial<Whole>): Row | undefined
  has(where: Partial<Whole>): boolean
  all(where?: Partial<Whole>): readonly Row[]
  /** Returns the rows that meet a condition in SQL, which may go on with `ORDER BY` and `LIMIT`. */
  where(condition: TemplateStringsArray, ...given: readonly Given[]): readonly Row[]
  /** Reads with this index of the table. */
  indexedBy(index: string): Reads<Whole, Row>
}

/** @param names the columns that are read */
function readsOf<Whole extends object, Row extends object>(
  prepared: Prepare,
  described: Pick<Table<Columns>, 'name' | 'columns'>,
  names: readonly string[],
  from = described.name,
): Reads<Whole, Row> {
  const { name, columns } = described
  const select = `SELECT ${names.join(', ')} FROM ${from}`
  const write = (where: object) =>
    comparedIn(where).map((column) => writeAs(columns[column], Reflect.get(where, column)))
  const readers = names.map((column) => ({ column, of: columns[column] }))
  function read(found: Record<string, SQLOutputValue>): Row {
    const row: Record<string, unknown> = {}
    for (const { column, of } of readers) row[column] = of?.read(found[column] ?? null)
    // Each field is read by the column that gives the type its field.
    return row as Row
  }

  return {
    get(where) {
      const found = prepared(`${select}${whereOf(where)} LIMIT 1`).get(...write(where))
      return found && read(found)
    },
    has: (where) =>
      prepared(`SELECT 1 FROM ${from}${whereOf(where)} LIMIT 1`).get(...write(where)) !== undefined,
    all: (where = {}) =>
      prepared(select + whereOf(where))
        .all(...write(where))
        .map(read),
    where(condition, ...given) {
      const { sql, values } = statementOf(condition, given)
      return prepared(`${select} WHERE ${sql}`)
        .all(...values)
        .map(read)
    },
    indexedBy: (index) => readsOf(prepared, described, names, `${name} INDEXED BY ${name}_${index}`),
  }
}

// ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of a statement, such as a condition that several of them have. All else in a template is a value. */
export type Part = { readonly sql: string }
export const part = (sql: string): Part => ({ sql })

type Given = SQLInputValue | Part

function statementOf(text: TemplateStringsArray, given: readonly Given[]) {
  const values: SQLInputValue[] = []
  const parts = given.map((one) => {
    if (typeof one === 'object' && one !== null && 'sql' in one) return one.sql
    values.push(one)
    return '?'
  })
  return { sql: String.raw({ raw: text }, ...parts), values }
}

/** Returns a function that runs statements which a table's methods don't have. @returns how many rows it changed */
export function changing(connection: DatabaseSync) {
  const prepared = preparing(connection)
  return (text: TemplateStringsArray, ...given: readonly Given[]): number => {
    const { sql, values } = statementOf(text, given)
    return Number(prepared(sql).run(...values).changes)
  }
}

type Prepare = (sql: string) => StatementSync

/** Returns a function that prepares each statement once. */
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

const writeAs = (column: Column<unknown> | undefined, value: unknown): SQLInputValue => {
  if (column === undefined) throw new TypeError('Unknown column')
  return column.write(value ?? null)
}

const assigned = (changes: object): string =>
  Object.keys(changes)
    .map((column) => `${column} = ?`)
    .join(', ')

/** Returns the columns that are compared with a value. */
const comparedIn = (where: object): string[] =>
  Object.entries(where).flatMap(([column, value]) => (value === null ? [] : column))

/** Only `=` uses indexes of rows that aren't null, but it doesn't find null. */
const whereOf = (where: object): string => {
  const conditions = Object.entries(where).map(([column, value]) =>
    value === null ? `${column} IS NULL` : `${column} = ?`,
  )
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

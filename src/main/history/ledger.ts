/**
 * Which contents earlier jobs have processed, with which preset, and where the results are. A row starts with the file's path and
 * its size, time and inode; the content's hash follows when there is time to compute it.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { RecordId } from '../../shared/model/ids.ts'
import { inTransaction } from '../database/index.ts'
import { parseJson } from './record-row.ts'

/** Maximum number of rows about one content. */
const MOST_OF_CONTENT = 10_000
/** Maximum number of rows about one content, preset and role that are compared. */
const MOST_COMPARED = 16
/** Maximum number of cached hashes. Ledger rows store their own hashes, so this covers only other files that were compared. */
const MOST_CACHED = 100_000

export const ledgerSchema = `
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    print TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB,
    preset TEXT NOT NULL,
    preset_name TEXT,
    variations INTEGER NOT NULL,
    role TEXT NOT NULL,
    results TEXT NOT NULL,
    record_id TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_path ON ledger (path);
  CREATE INDEX ledger_size ON ledger (size);
  CREATE INDEX ledger_content ON ledger (content) WHERE content IS NOT NULL;
  CREATE INDEX ledger_pending ON ledger (id) WHERE content IS NULL;
  CREATE INDEX ledger_pending_print ON ledger (print) WHERE content IS NULL;
  CREATE TABLE content_hashes (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    print TEXT NOT NULL,
    content BLOB NOT NULL
  ) STRICT;`

/** Creates the tables of a file that has lost them. @returns whether any was missing */
export function restoreLedger(connection: DatabaseSync): boolean {
  const { count } = TableCount.parse(
    connection
      .prepare(`SELECT count(*) AS count FROM sqlite_schema WHERE name IN ('ledger', 'content_hashes')`)
      .get(),
  )
  if (count === 2) return false
  connection.exec(ledgerSchema.replaceAll(/CREATE (TABLE|INDEX)/g, 'CREATE $1 IF NOT EXISTS'))
  return true
}

const TableCount = z.object({ count: z.number() })

const LedgerResult = z.object({ path: z.string(), size: z.number(), mtime: z.number() }).readonly()
/** A result as it was when its job ended. `mtime` is in whole milliseconds since 1970. */
export type LedgerResult = z.infer<typeof LedgerResult>

const Row = z
  .object({
    id: z.number(),
    path: z.string(),
    print: z.string(),
    size: z.number(),
    content: z.instanceof(Uint8Array).nullable(),
    preset: z.string(),
    preset_name: z.string().nullable(),
    variations: z.number(),
    role: z.enum(['input', 'result']),
    results: z.string().transform(parseJson).pipe(z.array(LedgerResult).readonly()),
    at: z.number(),
  })
  .transform(({ preset_name: presetName, ...row }) => ({ ...row, presetName }))
export type LedgerRow = Readonly<z.infer<typeof Row>>

export type NewLedgerRow = Omit<LedgerRow, 'id' | 'content'> & { readonly recordId: RecordId }

const Content = z.object({ content: z.instanceof(Uint8Array) })

/** Leaves out damaged rows: their files count as not done, and their jobs can be repeated. */
const rowsOf = (rows: readonly unknown[]): readonly LedgerRow[] =>
  rows.flatMap((row) => Row.safeParse(row).data ?? [])

/** Reads and writes the ledger. */
export function ledger(connection: DatabaseSync) {
  const sql = prepareLedger(connection)

  function cacheContent(path: string, print: string, content: Uint8Array): void {
    inTransaction(connection, () => {
      const { lastInsertRowid } = sql.cache.run(path, print, content)
      sql.trimCache.run(Number(lastInsertRowid) - MOST_CACHED)
    })
  }

  return {
    /** Returns the rows about the file at this path, including those about its earlier contents. */
    at: (path: string) => rowsOf(sql.atPath.all(path)),
    /** Returns the newest rows about this content, a few of each preset, role and number of variations. */
    of: (content: Uint8Array) => rowsOf(sql.ofContent.all(content, MOST_COMPARED)),
    /** Returns the first rows of this size whose contents haven't been hashed. */
    pendingOfSize: (size: number) => rowsOf(sql.pendingOfSize.all(size)),
    /** Returns the rows of the file with this size, inode and times, at any path, whose contents haven't been hashed. */
    pendingWith: (print: string) => rowsOf(sql.pendingWith.all(print)),
    nextPending(after: number): LedgerRow | undefined {
      for (const row of sql.nextPending.iterate(after)) {
        const [readable] = rowsOf([row])
        if (readable !== undefined) return readable
      }
      return undefined
    },
    /** Whether the ledger has a content of this size from another file. Other contents can't be equal, so they aren't hashed. */
    hasSizeElsewhere: (size: number, path: string, print: string): boolean =>
      sql.hasSize.get(size, path, print) !== undefined,

    enter(row: NewLedgerRow): void {
      sql.replaced.run(row.path, row.preset, row.role, row.variations)
      const { path, print, size, preset, presetName, variations, role, recordId, at } = row
      const results = JSON.stringify(row.results)
      sql.enter.run({ path, print, size, preset, presetName, variations, role, results, recordId, at })
    },
    /**
     * Stores the content of a row. Equal files at other paths keep their rows, because they have their own results, and results
     * are recognized by their paths.
     */
    putContent: ({ id, path, print }: LedgerRow, content: Uint8Array): void =>
      inTransaction(connection, () => {
        sql.putContent.run(content, id)
        sql.trimContent.run(content, MOST_OF_CONTENT)
        cacheContent(path, print, content)
      }),
    /** Removes a row whose file has changed or disappeared before its content was hashed. */
    drop: (id: number): void => void sql.drop.run(id),

    cachedContent(path: string, print: string): Uint8Array | undefined {
      return Content.safeParse(sql.cached.get(path, print)).data?.content
    },
    cacheContent,
  }
}

const COLUMNS = 'id, path, print, size, content, preset, preset_name, variations, role, results, at'

const prepareLedger = (connection: DatabaseSync) => ({
  atPath: connection.prepare(`SELECT ${COLUMNS} FROM ledger WHERE path = ?`),
  ofContent: connection.prepare(`
    SELECT ${COLUMNS} FROM (
      SELECT ${COLUMNS}, row_number() OVER (PARTITION BY preset, role, variations ORDER BY id DESC) AS place
      FROM ledger WHERE content = ?
    ) WHERE place <= ?`),
  pendingOfSize: connection.prepare(
    `SELECT ${COLUMNS} FROM ledger WHERE size = ? AND content IS NULL ORDER BY id LIMIT 200`,
  ),
  pendingWith: connection.prepare(`SELECT ${COLUMNS} FROM ledger WHERE print = ? AND content IS NULL`),
  nextPending: connection.prepare(
    `SELECT ${COLUMNS} FROM ledger WHERE content IS NULL AND id > ? ORDER BY id`,
  ),
  hasSize: connection.prepare('SELECT 1 FROM ledger WHERE size = ? AND (path <> ? OR print <> ?) LIMIT 1'),
  replaced: connection.prepare(
    'DELETE FROM ledger WHERE path = ? AND preset = ? AND role = ? AND variations = ?',
  ),
  enter: connection.prepare(`
    INSERT INTO ledger (path, print, size, preset, preset_name, variations, role, results, record_id, at)
    VALUES (:path, :print, :size, :preset, :presetName, :variations, :role, :results, :recordId, :at)`),
  putContent: connection.prepare('UPDATE ledger SET content = ? WHERE id = ?'),
  trimContent: connection.prepare(`
    DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE content = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`),
  drop: connection.prepare('DELETE FROM ledger WHERE id = ?'),
  cached: connection.prepare('SELECT content FROM content_hashes WHERE path = ? AND print = ?'),
  cache: connection.prepare('INSERT OR REPLACE INTO content_hashes (path, print, content) VALUES (?, ?, ?)'),
  trimCache: connection.prepare('DELETE FROM content_hashes WHERE number <= ?'),
})

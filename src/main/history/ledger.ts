/**
 * Stores which contents earlier jobs have processed, with which preset, and where the results are. A row starts with the file's path, size,
 * inode and times. The content's hash is added when there is time to compute it.
 */
import type { RowOf } from '../database/index.ts'
import type { HistoryFile } from './history-file.ts'
import { Ledger } from './schema.ts'
import type { Tables } from './tables.ts'

/** Maximum number of rows with the same content. */
const MOST_OF_CONTENT = 10_000
/** Maximum number of rows with the same content, preset, role and number of variations that are compared. */
const MOST_COMPARED = 16
/** Maximum number of cached hashes. Ledger rows also store their own hashes. */
const MOST_CACHED = 100_000

type Stored = RowOf<typeof Ledger>
export type LedgerRow = Stored & { readonly [Name in 'role' | 'results']: NonNullable<Stored[Name]> }
export type NewLedgerRow = Omit<LedgerRow, 'id' | 'content'>

/** Each method reads or writes a few rows and takes less than a millisecond. */
export const ledgerIn = ({ read, writeLater }: HistoryFile) => ({
  /** Returns the rows about the file at this path, including those about its earlier contents. */
  at: (path: string) => read(({ ledger }) => readable(ledger.all({ path }))),
  /** Returns the newest rows about this content, a few of each preset, role and number of variations. */
  of: (content: Uint8Array) =>
    read(({ ledger }) =>
      readable(
        ledger.where`id IN (SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY preset, role, variations ORDER BY id DESC) AS place
            FROM ledger WHERE content = ${stored(content)}
          ) WHERE place <= ${MOST_COMPARED})
          ORDER BY preset, role, variations, id DESC`,
      ),
    ),
  /** Returns the oldest rows of this size whose contents haven't been hashed, up to 200. */
  pendingOfSize: (size: number) =>
    read(({ ledger }) => readable(ledger.where`size = ${size} AND content IS NULL ORDER BY id LIMIT 200`)),
  /** Returns the rows of the file with this size, inode and times, at any path, whose contents haven't been hashed. */
  pendingWith: (print: string) => read(({ ledger }) => readable(ledger.all({ print, content: null }))),
  nextPending: (after: number): LedgerRow | undefined =>
    read(({ ledger }) => {
      for (let last = after; ;) {
        const [row] = ledger.where`content IS NULL AND id > ${last} ORDER BY id LIMIT 1`
        if (row === undefined || isReadable(row)) return row
        last = row.id
      }
    }),
  /** Whether the ledger has another file of this size. If not, hashing is unnecessary, because no other file can have the same content. */
  hasSizeElsewhere: (size: number, path: string, print: string): boolean =>
    read(
      ({ ledger }) =>
        ledger.only('id').where`size = ${size} AND (path <> ${path} OR print <> ${print}) LIMIT 1`.length > 0,
    ),
  /**
   * Stores the content's hash in a row and in the cache, and removes the oldest rows with this content if there are too many. Equal files
   * at other paths keep their rows, because they have their own results, and results are recognized by their paths.
   */
  putContent: ({ id, path, print }: LedgerRow, content: Uint8Array): void =>
    writeLater((tables) => {
      tables.ledger.update({ id }, { content })
      void tables.change`DELETE FROM ledger
        WHERE id IN (SELECT id FROM ledger WHERE content = ${stored(content)} ORDER BY id DESC LIMIT -1 OFFSET ${MOST_OF_CONTENT})`
      cacheContent(tables, path, print, content)
    }),
  /** Removes a row whose file has changed or disappeared before its content was hashed. */
  drop: (id: number): void => writeLater(({ ledger }) => void ledger.remove({ id })),
  cachedContent: (path: string, print: string): Uint8Array | undefined =>
    read(({ contentHashes }) => contentHashes.get({ path, print })?.content),
  cacheContent: (path: string, print: string, content: Uint8Array): void =>
    writeLater((tables) => cacheContent(tables, path, print, content)),
})

/** Adds a row, and removes an earlier one about the same file and job options. */
export function enter({ ledger }: Tables, row: NewLedgerRow): void {
  const { path, preset, role, variations } = row
  ledger.remove({ path, preset, role, variations })
  ledger.insert(row)
}

function cacheContent({ contentHashes, change }: Tables, path: string, print: string, content: Uint8Array) {
  contentHashes.remove({ path })
  const number = contentHashes.insert({ path, print, content })
  void change`DELETE FROM content_hashes WHERE number <= ${number - MOST_CACHED}`
}

const stored = (content: Uint8Array) => Ledger.columns.content.write(content)

const isReadable = (row: Stored): row is LedgerRow => row.role !== undefined && row.results !== undefined

/** Leaves out damaged rows: their files count as not done, and their jobs can be repeated. */
const readable = (rows: readonly Stored[]): readonly LedgerRow[] => rows.filter(isReadable)

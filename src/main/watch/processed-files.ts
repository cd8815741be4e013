/**
 * Remembers across restarts which files in watched folders have been processed. A file is marked before and after it is submitted.
 * If a crash happens in between, the submission's key shows whether it was submitted, because the outbox stores the key too.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction, isInPlace, openDatabase } from '../database/index.ts'
import type { FoundFile, TakenFile } from './fingerprint.ts'
import { createHeldRecords, HELD_TABLES, type HeldRecords } from './held-records.ts'
import { createReadRecords, READ_TABLES, type ReadRecords } from './read-records.ts'
import { createRetryRecords, RETRY_TABLES, type RetryRecords } from './retry-records.ts'
import { createResultRecords, RESULT_TABLES, type ResultRecords } from './result-records.ts'

export interface ProcessedFiles extends HeldRecords, ReadRecords, ResultRecords, RetryRecords {
  /** Path of a damaged file that was moved aside; null if there was none. */
  readonly setAside: string | null
  /**
   * Compares a file with those that the folder is done with, without reading it. `same`: nothing has happened to it. `perhaps`: its
   * content decides, because a file with its size and date had its path or its inode.
   */
  knows(folder: string, file: FoundFile): 'same' | 'perhaps' | null
  /** Returns the finished file with this content: the one at this path, or the one that was renamed to it. */
  sameAs(folder: string, file: FoundFile): TakenFile | undefined
  /** Marks files that must not be processed: our own results, and files that the user declined. */
  leave(folder: string, files: readonly FoundFile[]): void
  beginTaking(folder: string, files: readonly FoundFile[], key: string): void
  finishTaking(folder: string, key: string): void
  /** Reverts `beginTaking`, because the submission never reached the outbox. */
  abandonTaking(key: string): void
  /** Returns the keys that a crash left begun but neither finished nor abandoned. */
  unfinished(): readonly { readonly folder: string; readonly key: string }[]
  /** Whether a file at this path was processed although it may have been a result. */
  wasDoubtful(path: string): boolean
  /**
   * Forgets that a file was taken, because its job didn't process it. If it returns or was renamed, it counts as new.
   * @param submittedAt when its submission was created, in milliseconds since 1970. A file that was taken later is another one.
   * @returns the paths at which it was found
   */
  forgetTaken(folder: string, path: string, submittedAt: number): readonly string[]
  /** Returns how many files have been processed. */
  count(folder: string): number
  /** Whether no scan of the folder has ever finished. */
  isNew(folder: string): boolean
  markScanned(folder: string): void
  /** Removes the data of a folder that the user no longer wants to watch. */
  forgetFolder(id: string): void
  /** Whether the file is still at its path. Another process moves it aside if it is damaged. */
  isInPlace(): boolean
  close(): void
}

const schema = `
  CREATE TABLE files (
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    born INTEGER NOT NULL,
    inode TEXT NOT NULL,
    content TEXT,
    doubtful INTEGER NOT NULL,
    taking TEXT,
    taken_as TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    PRIMARY KEY (folder, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_inode ON files (inode);
  CREATE INDEX files_content ON files (content) WHERE content IS NOT NULL;
  CREATE INDEX files_taken ON files (folder, taken_as, taken_at);
  CREATE INDEX files_taking ON files (taking) WHERE taking IS NOT NULL;
  CREATE INDEX files_doubtful ON files (path) WHERE doubtful = 1;
  CREATE TABLE folders (id TEXT PRIMARY KEY, taken INTEGER NOT NULL, looked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${RESULT_TABLES}
  ${HELD_TABLES}
  ${RETRY_TABLES}
  ${READ_TABLES}`

const Unfinished = z.array(z.object({ folder: z.string(), taking: z.string() }))
const FolderRow = z.object({ taken: z.number(), looked: z.number() })
const TakenAt = z.object({ at: z.number().nullable() })
const Paths = z.array(z.object({ path: z.string() }))
const KnownRows = z.array(
  z.object({
    path: z.string(),
    changed: z.number(),
    born: z.number(),
    inode: z.string(),
    content: z.string().nullable(),
    taken_as: z.string(),
    taken_at: z.number(),
  }),
)
type KnownRow = z.infer<typeof KnownRows>[number]

/**
 * @param file absolute path
 * @throws if no database can be created there
 */
export function openProcessedFiles(file: string, clock: () => number): ProcessedFiles {
  const { connection, setAside, identity } = openDatabase({
    file,
    schema,
    checkWhole: true,
    keepsLogSmall: true,
    clock,
  })
  const sql = prepare(connection)
  const held = createHeldRecords(connection)
  const reads = createReadRecords(connection)

  const put = (
    folder: string,
    { path, fingerprint, content, isDoubtful = false, sameAs }: FoundFile,
    key: string | null,
  ) => {
    const { size, mtime, changed, born, inode } = fingerprint
    const taken = sameAs ?? { path, at: clock() }
    const doubtful = isDoubtful ? 1 : 0
    const row = [folder, path, size, mtime, changed, born, inode, content ?? null, doubtful, key]
    sql.put.run(...row, taken.path, taken.at)
  }
  const folderRow = (folder: string) => {
    const row = sql.folder.get(folder)
    return row && FolderRow.parse(row)
  }
  /** Returns the files that had the path or the inode, with this size and date. */
  const rowsLike = (folder: string, { path, fingerprint: { size, mtime, inode } }: FoundFile) =>
    KnownRows.parse([
      ...sql.byPath.all(folder, path, size, mtime),
      ...sql.byInode.all(inode, folder, size, mtime),
    ])

  return {
    ...held,
    ...createResultRecords(connection),
    ...createRetryRecords(connection),
    ...reads,
    setAside,

    knows(folder, file) {
      const rows = rowsLike(folder, file)
      if (rows.some((row) => isUntouchedSince(row, file))) return 'same'
      return rows.length > 0 ? 'perhaps' : null
    },
    sameAs(folder, file) {
      const same = rowsLike(folder, file).find((row) =>
        row.content === null ? isUnreadFile(row, file) : row.content === file.content,
      )
      return same && { path: same.taken_as, at: same.taken_at }
    },

    leave: (folder, files) =>
      inTransaction(connection, () => {
        for (const one of files) put(folder, one, null)
      }),

    beginTaking: (folder, files, key) =>
      inTransaction(connection, () => {
        for (const one of files) {
          put(folder, one, key)
          reads.forgetReads(one.path)
        }
      }),
    finishTaking: (folder, key) =>
      inTransaction(connection, () => {
        const { changes } = sql.finish.run(key)
        sql.count.run(folder, changes)
      }),
    abandonTaking: (key) => void sql.abandon.run(key),
    forgetTaken(folder, path, submittedAt) {
      const { at } = TakenAt.parse(sql.takenAt.get(folder, path, submittedAt))
      if (at === null) return []
      const gone = Paths.parse(sql.forgetTaken.all(folder, path, at))
      sql.count.run(folder, -1)
      return gone.map((row) => row.path)
    },
    unfinished: () =>
      Unfinished.parse(sql.unfinished.all()).map(({ folder, taking }) => ({ folder, key: taking })),
    wasDoubtful: (path) => sql.doubtful.get(path) !== undefined,

    count: (folder) => folderRow(folder)?.taken ?? 0,
    isNew: (folder) => folderRow(folder)?.looked !== 1,
    markScanned: (folder) => void sql.looked.run(folder),
    forgetFolder: (id) =>
      inTransaction(connection, () => {
        for (const forget of [sql.forgetFiles, sql.forgetRetries, sql.forgetFolder]) forget.run(id)
        held.forgetHeld(id)
      }),

    isInPlace: () => isInPlace(file, identity),
    close: () => connection.close(),
  }
}

const isUntouchedSince = (row: KnownRow, { path, fingerprint }: FoundFile): boolean =>
  row.path === path &&
  row.changed === fingerprint.changed &&
  row.born === fingerprint.born &&
  row.inode === fingerprint.inode

/** Whether this is a file that was left without being read. An inode can be reused, but not with the same time of creation. */
const isUnreadFile = (row: KnownRow, { path, fingerprint: { born, inode } }: FoundFile): boolean =>
  row.inode === inode && row.born === born && (born !== 0 || row.path === path)

function prepare(connection: DatabaseSync) {
  const known = 'SELECT path, changed, born, inode, content, taken_as, taken_at FROM files'
  return {
    put: connection.prepare(`
      INSERT INTO files (folder, path, size, mtime, changed, born, inode, content, doubtful, taking,
        taken_as, taken_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (folder, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime,
        changed = excluded.changed, born = excluded.born, inode = excluded.inode, content = excluded.content,
        doubtful = excluded.doubtful, taking = excluded.taking, taken_as = excluded.taken_as,
        taken_at = excluded.taken_at`),
    byPath: connection.prepare(`${known} WHERE folder = ? AND path = ? AND size = ? AND mtime = ?`),
    byInode: connection.prepare(`${known} WHERE inode = ? AND folder = ? AND size = ? AND mtime = ?`),
    finish: connection.prepare('UPDATE files SET taking = NULL WHERE taking = ?'),
    abandon: connection.prepare('DELETE FROM files WHERE taking = ?'),
    unfinished: connection.prepare('SELECT DISTINCT folder, taking FROM files WHERE taking IS NOT NULL'),
    takenAt: connection.prepare(
      'SELECT max(taken_at) AS at FROM files WHERE folder = ? AND taken_as = ? AND taken_at <= ?',
    ),
    forgetTaken: connection.prepare(
      'DELETE FROM files WHERE folder = ? AND taken_as = ? AND taken_at = ? RETURNING path',
    ),
    doubtful: connection.prepare('SELECT 1 FROM files WHERE path = ? AND doubtful = 1 LIMIT 1'),
    folder: connection.prepare('SELECT taken, looked FROM folders WHERE id = ?'),
    count: connection.prepare(`
      INSERT INTO folders (id, taken, looked) VALUES (?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET taken = max(taken + excluded.taken, 0)`),
    looked: connection.prepare(`
      INSERT INTO folders (id, taken, looked) VALUES (?, 0, 1) ON CONFLICT (id) DO UPDATE SET looked = 1`),
    forgetFiles: connection.prepare('DELETE FROM files WHERE folder = ?'),
    forgetRetries: connection.prepare('DELETE FROM retries WHERE folder = ?'),
    forgetFolder: connection.prepare('DELETE FROM folders WHERE id = ?'),
  }
}

/**
 * Remembers across restarts which contents are our own results. A content stays ours at every path, unless it is that of an original:
 * then only the result's path and time tell it from the user's own copies. Otherwise, paths, sizes and times only limit which files have
 * to be read.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction } from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'
import type { ReadInput } from './read-records.ts'

export type NotedResult = {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** SHA-256 as hex. */
  readonly content: string
  /** When it was created or noted, in milliseconds since 1970. */
  readonly at: number
  /** Whether it is a copy of its original, so that the same content elsewhere may be the user's. */
  readonly isCopy?: boolean
  /** Tell a restored original that has since been moved from a copy, if they are known. `born` is in milliseconds since 1970. */
  readonly inode?: string | undefined
  readonly born?: number | undefined
  /** The input as it was read; missing if the built-in service didn't note the result. */
  readonly from?: ReadInput
}

/** A job of another service that ended without reporting everything it created. */
export type Doubt = {
  readonly outputFolder: string
  /** The inputs' names without extensions. */
  readonly stems: readonly string[]
  /** Milliseconds since 1970. */
  readonly since: number
  readonly until: number
  /** Whether its inputs may have been such results, too. */
  readonly isRepeated: boolean
}

export interface ResultRecords {
  noteResults(results: readonly NotedResult[]): void
  /** Records an original that is about to return to its path. Only this file is known: the user may add a copy later. */
  noteReturned(original: NotedResult): void
  isReturned(file: FoundFile): boolean
  /** Whether the files of a vault's job in this state were learned. */
  hasLearned(job: string): boolean
  /**
   * Records what the vaults know, such as after an older copy of this database was restored.
   * @param jobs all jobs in the vaults
   */
  learn(jobs: readonly string[], results: readonly NotedResult[], returned: readonly NotedResult[]): void
  hasResult(size: number, content: string): boolean
  /** Whether a result of this size exists or hasn't been read, so that a file must be read to know. */
  mayBeResult(size: number): boolean
  /** Whether the content of a result at this path was noted at or after a time. */
  hasResultAt(path: string, since: number): boolean
  /**
   * Records the end of a job, and its results that have to be read. Does nothing if it is recorded already.
   * @param also is done in the same transaction
   */
  noteWork(
    work: { readonly id: string; readonly until: number },
    unread: readonly FoundFile[],
    doubt: Doubt | undefined,
    also: () => void,
  ): void
  /** When the last recorded job ended, in milliseconds since 1970; 0 if there is none. */
  lastWork(): number
  hasWork(id: string): boolean
  unreadResults(): readonly FoundFile[]
  isUnread(path: string): boolean
  /** Ends the reading of a result. @param result undefined if it was changed or deleted before it could be read */
  endReading(path: string, result: NotedResult | undefined): void
  doubtsIn(outputFolder: string): readonly Doubt[]
}

/** The most time between noting an original and its return, in ms. Network disks have their own clocks. */
const RETURN_SLACK_MS = 60_000

export const RESULT_TABLES = `
  CREATE TABLE results (
    size INTEGER NOT NULL,
    content TEXT NOT NULL,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (size, content)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX results_path ON results (path);
  CREATE TABLE returned (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL,
    inode TEXT,
    born INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX returned_size ON returned (size);
  CREATE TABLE learned (job TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE unread (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    born INTEGER NOT NULL,
    inode TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE works (id TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX works_until ON works (until);
  CREATE TABLE doubts (
    output TEXT NOT NULL,
    stems TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    repeated INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX doubts_output ON doubts (output);`

const UnreadRows = z.array(
  z.object({
    path: z.string(),
    size: z.number(),
    mtime: z.number(),
    changed: z.number(),
    born: z.number(),
    inode: z.string(),
  }),
)
const LastWork = z.object({ until: z.number().nullable() })
const Doubts = z.array(
  z.object({
    stems: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.array(z.string())),
    since: z.number(),
    until: z.number(),
    repeated: z.number(),
  }),
)

export function createResultRecords(connection: DatabaseSync): ResultRecords {
  const sql = {
    note: connection.prepare(`
      INSERT INTO results (size, content, path, at) VALUES (?, ?, ?, ?)
      ON CONFLICT (size, content) DO UPDATE SET path = excluded.path, at = excluded.at`),
    has: connection.prepare('SELECT 1 FROM results WHERE size = ? AND content = ?'),
    hasSize: connection.prepare(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM results WHERE size = :size)
         OR EXISTS (SELECT 1 FROM returned WHERE size = :size) OR EXISTS (SELECT 1 FROM unread WHERE size = :size)`,
    ),
    noteReturned: connection.prepare(
      'INSERT OR REPLACE INTO returned (path, size, content, at, inode, born) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    // The vault noted the return itself. A copy that was added since must stay new.
    learnReturned: connection.prepare(
      'INSERT OR IGNORE INTO returned (path, size, content, at) VALUES (?, ?, ?, ?)',
    ),
    hasLearned: connection.prepare('SELECT 1 FROM learned WHERE job = ?'),
    forgetLearned: connection.prepare('DELETE FROM learned'),
    learn: connection.prepare('INSERT OR IGNORE INTO learned (job) VALUES (?)'),
    isReturned: connection.prepare(
      `SELECT 1 FROM returned WHERE size = :size AND content = :content
         AND (path = :path AND at BETWEEN :from AND :to OR inode = :inode AND born = :born)`,
    ),
    isProcessed: connection.prepare('SELECT 1 FROM files WHERE content = ? LIMIT 1'),
    hasAt: connection.prepare('SELECT 1 FROM results WHERE path = ? AND at >= ? LIMIT 1'),
    work: connection.prepare('INSERT INTO works (id, until) VALUES (?, ?)'),
    hasWork: connection.prepare('SELECT 1 FROM works WHERE id = ?'),
    lastWork: connection.prepare('SELECT max(until) AS until FROM works'),
    putUnread: connection.prepare(
      'INSERT OR REPLACE INTO unread (path, size, mtime, changed, born, inode) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    unread: connection.prepare('SELECT path, size, mtime, changed, born, inode FROM unread'),
    isUnread: connection.prepare('SELECT 1 FROM unread WHERE path = ?'),
    read: connection.prepare('DELETE FROM unread WHERE path = ?'),
    doubt: connection.prepare(
      'INSERT INTO doubts (output, stems, since, until, repeated) VALUES (?, ?, ?, ?, ?)',
    ),
    doubts: connection.prepare('SELECT stems, since, until, repeated FROM doubts WHERE output = ?'),
  }
  const noteReturned = ({ path, size, content, at, inode, born }: NotedResult): void =>
    void sql.noteReturned.run(path, size, content, at, inode ?? null, born ?? null)

  function note({ size, content, path, at, isCopy = false }: NotedResult): void {
    const isOriginal = isCopy || sql.isProcessed.get(content) !== undefined
    if (isOriginal && sql.has.get(size, content) === undefined) noteReturned({ path, size, content, at })
    else sql.note.run(size, content, path, at)
  }

  return {
    noteResults(results) {
      if (results.length === 0) return
      inTransaction(connection, () => {
        for (const result of results) note(result)
      })
    },
    noteReturned,
    isReturned({ path, fingerprint: { size, changed, inode, born }, content = '' }) {
      const [from, to] = [changed - RETURN_SLACK_MS, changed + RETURN_SLACK_MS]
      return sql.isReturned.get({ path, size, content, from, to, inode, born }) !== undefined
    },
    hasLearned: (job) => sql.hasLearned.get(job) !== undefined,
    learn: (jobs, results, returned) =>
      inTransaction(connection, () => {
        for (const result of results) note(result)
        for (const { path, size, content, at } of returned) sql.learnReturned.run(path, size, content, at)
        sql.forgetLearned.run()
        for (const job of jobs) sql.learn.run(job)
      }),
    hasResult: (size, content) => sql.has.get(size, content) !== undefined,
    mayBeResult: (size) => sql.hasSize.get({ size }) !== undefined,
    hasResultAt: (path, since) => sql.hasAt.get(path, since) !== undefined,
    noteWork: ({ id, until: ended }, unread, doubt, also) =>
      inTransaction(connection, () => {
        if (sql.hasWork.get(id) !== undefined) return
        sql.work.run(id, ended)
        also()
        for (const { path, fingerprint } of unread) {
          const { size, mtime, changed, born, inode } = fingerprint
          sql.putUnread.run(path, size, mtime, changed, born, inode)
        }
        if (doubt === undefined) return
        const { outputFolder, stems, since, until, isRepeated } = doubt
        sql.doubt.run(outputFolder, JSON.stringify(stems), since, until, isRepeated ? 1 : 0)
      }),
    hasWork: (id) => sql.hasWork.get(id) !== undefined,
    lastWork: () => LastWork.parse(sql.lastWork.get()).until ?? 0,
    unreadResults: () =>
      UnreadRows.parse(sql.unread.all()).map(({ path, ...row }) => ({
        path,
        fingerprint: { ...row, device: '' },
      })),
    isUnread: (path) => sql.isUnread.get(path) !== undefined,
    endReading: (path, result) =>
      inTransaction(connection, () => {
        sql.read.run(path)
        if (result !== undefined) note(result)
      }),
    doubtsIn: (outputFolder) =>
      Doubts.parse(sql.doubts.all(outputFolder)).map(({ repeated, ...row }) => ({
        outputFolder,
        ...row,
        isRepeated: repeated === 1,
      })),
  }
}

/**
 * What watched folders have seen, across restarts. A file is marked before it is submitted and again afterwards; the name
 * of the submission, which the outbox knows too, says after a crash in between whether it got there.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction, openDatabase, type Migration } from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'

export interface ProcessedFiles {
  /** Where a damaged file was put when this one was begun; null if all was well. */
  readonly setAside: string | null
  /** How this content is known to have been dealt with: by its path or, where it was renamed, by its place on the disk. */
  knows(folder: string, file: FoundFile): 'byPath' | 'byInode' | null
  /** Files that are not to be taken: results of ours, or what the person wanted left. */
  leave(folder: string, files: readonly FoundFile[]): void
  beginTaking(folder: string, files: readonly FoundFile[], key: string): void
  finishTaking(folder: string, key: string): void
  /** It never got into the outbox. */
  abandonTaking(key: string): void
  /** Begun and neither finished nor abandoned: what a crash left. */
  unfinished(): readonly { readonly folder: string; readonly key: string }[]
  /** How many files were taken so far. */
  count(folder: string): number
  /** Whether no scan of the folder has ever come to its end. */
  isNew(folder: string): boolean
  markScanned(folder: string): void
  /** Forgets all about the others. */
  keepFolders(ids: readonly string[]): void

  /** @param at ms since 1970: they were made before */
  noteResults(paths: readonly string[], at: number): void
  resultNotedAt(path: string): number | undefined
  noteOutput(folder: string): void
  outputs(): readonly string[]
  /** Work that ended without saying all that it made. */
  noteUncertain(work: UncertainWork): void
  uncertainIn(outputFolder: string): readonly UncertainWork[]
  close(): void
}

export type UncertainWork = {
  readonly outputFolder: string
  /** The inputs' names without their endings. */
  readonly stems: readonly string[]
  /** ms since 1970. */
  readonly since: number
  readonly until: number
}

const migrations: readonly Migration[] = [
  (connection) =>
    connection.exec(`
      CREATE TABLE files (
        folder TEXT NOT NULL,
        path TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime INTEGER NOT NULL,
        device TEXT NOT NULL,
        inode TEXT NOT NULL,
        taking TEXT,
        PRIMARY KEY (folder, path)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX files_place ON files (inode, device);
      CREATE INDEX files_taking ON files (taking) WHERE taking IS NOT NULL;
      CREATE TABLE folders (id TEXT PRIMARY KEY, taken INTEGER NOT NULL, looked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE results (path TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE outputs (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      CREATE TABLE uncertain (
        output TEXT NOT NULL,
        stems TEXT NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX uncertain_output ON uncertain (output);
    `),
]

const Unfinished = z.array(z.object({ folder: z.string(), taking: z.string() }))
const FolderRow = z.object({ taken: z.number(), looked: z.number() })
const Ids = z.array(z.object({ id: z.string() }))
const ResultRow = z.object({ at: z.number() })
const Paths = z.array(z.object({ path: z.string() }))
const Uncertain = z.array(
  z.object({
    stems: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.array(z.string())),
    since: z.number(),
    until: z.number(),
  }),
)

/** @param file absolute. Throws where there is no place for a database at all. */
export function openProcessedFiles(file: string, clock: () => number): ProcessedFiles {
  const { connection, setAside } = openDatabase({
    file,
    migrations,
    synchronous: 'full',
    checkWhole: true,
    clock,
  })
  const sql = prepare(connection)

  const put = (folder: string, { path, fingerprint }: FoundFile, key: string | null) =>
    sql.put.run(folder, path, fingerprint.size, fingerprint.mtime, fingerprint.device, fingerprint.inode, key)
  const folderRow = (folder: string) => {
    const row = sql.folder.get(folder)
    return row && FolderRow.parse(row)
  }

  return {
    setAside,

    knows(folder, { path, fingerprint }) {
      const { size, mtime, inode, device } = fingerprint
      if (sql.byPath.get(folder, path, size, mtime) !== undefined) return 'byPath'
      return sql.byInode.get(inode, device, folder, size, mtime) === undefined ? null : 'byInode'
    },

    leave: (folder, files) =>
      inTransaction(connection, () => {
        for (const one of files) put(folder, one, null)
      }),

    beginTaking: (folder, files, key) =>
      inTransaction(connection, () => {
        for (const one of files) put(folder, one, key)
      }),
    finishTaking: (folder, key) =>
      inTransaction(connection, () => {
        const { changes } = sql.finish.run(key)
        sql.count.run(folder, changes)
      }),
    abandonTaking: (key) => void sql.abandon.run(key),
    unfinished: () =>
      Unfinished.parse(sql.unfinished.all()).map(({ folder, taking }) => ({ folder, key: taking })),

    count: (folder) => folderRow(folder)?.taken ?? 0,
    isNew: (folder) => folderRow(folder)?.looked !== 1,
    markScanned: (folder) => void sql.looked.run(folder),
    keepFolders: (ids) =>
      inTransaction(connection, () => {
        for (const { id } of Ids.parse(sql.folders.all())) {
          if (ids.includes(id)) continue
          sql.forgetFiles.run(id)
          sql.forgetFolder.run(id)
        }
      }),

    noteResults: (paths, at) =>
      inTransaction(connection, () => {
        for (const path of paths) sql.noteResult.run(path, at)
      }),
    resultNotedAt(path) {
      const row = sql.resultNotedAt.get(path)
      return row && ResultRow.parse(row).at
    },
    noteOutput: (folder) => void sql.noteOutput.run(folder),
    outputs: () => Paths.parse(sql.outputs.all()).map(({ path }) => path),
    noteUncertain: ({ outputFolder, stems, since, until }) =>
      void sql.noteUncertain.run(outputFolder, JSON.stringify(stems), since, until),
    uncertainIn: (outputFolder) =>
      Uncertain.parse(sql.uncertain.all(outputFolder)).map((row) => ({ outputFolder, ...row })),

    close: () => connection.close(),
  }
}

function prepare(connection: DatabaseSync) {
  return {
    put: connection.prepare(`
      INSERT INTO files (folder, path, size, mtime, device, inode, taking) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (folder, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime,
        device = excluded.device, inode = excluded.inode, taking = excluded.taking`),
    byPath: connection.prepare(
      'SELECT 1 FROM files WHERE folder = ? AND path = ? AND size = ? AND mtime = ?',
    ),
    byInode: connection.prepare(
      'SELECT 1 FROM files WHERE inode = ? AND device = ? AND folder = ? AND size = ? AND mtime = ? LIMIT 1',
    ),
    finish: connection.prepare('UPDATE files SET taking = NULL WHERE taking = ?'),
    abandon: connection.prepare('DELETE FROM files WHERE taking = ?'),
    unfinished: connection.prepare('SELECT DISTINCT folder, taking FROM files WHERE taking IS NOT NULL'),
    folder: connection.prepare('SELECT taken, looked FROM folders WHERE id = ?'),
    folders: connection.prepare('SELECT id FROM folders'),
    count: connection.prepare(`
      INSERT INTO folders (id, taken, looked) VALUES (?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET taken = taken + excluded.taken`),
    looked: connection.prepare(`
      INSERT INTO folders (id, taken, looked) VALUES (?, 0, 1) ON CONFLICT (id) DO UPDATE SET looked = 1`),
    forgetFiles: connection.prepare('DELETE FROM files WHERE folder = ?'),
    forgetFolder: connection.prepare('DELETE FROM folders WHERE id = ?'),
    noteResult: connection.prepare(`
      INSERT INTO results (path, at) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET at = max(at, excluded.at)`),
    resultNotedAt: connection.prepare('SELECT at FROM results WHERE path = ?'),
    noteOutput: connection.prepare('INSERT INTO outputs (path) VALUES (?) ON CONFLICT DO NOTHING'),
    outputs: connection.prepare('SELECT path FROM outputs'),
    noteUncertain: connection.prepare(
      'INSERT INTO uncertain (output, stems, since, until) VALUES (?, ?, ?, ?)',
    ),
    uncertain: connection.prepare('SELECT stems, since, until FROM uncertain WHERE output = ?'),
  }
}

/**
 * Remembers across restarts which files in watched folders have been processed. A file is marked before and after it is submitted.
 * If a crash happens in between, the submission's key shows whether it was submitted, because the outbox stores the key too.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction, isInPlace, openDatabase, type Migration } from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'
import { createHeldRecords, HELD_TABLES, type HeldRecords } from './held-records.ts'

export interface ProcessedFiles extends HeldRecords {
  /** Path of a damaged file that was moved aside; null if there was none. */
  readonly setAside: string | null
  /** Returns how this content is known: by its path, by its inode (after a rename), or not at all (null). */
  knows(folder: string, file: FoundFile): 'byPath' | 'byInode' | null
  /** Marks files that must not be processed: our own results, and files that the user declined. */
  leave(folder: string, files: readonly FoundFile[]): void
  beginTaking(folder: string, files: readonly FoundFile[], key: string): void
  finishTaking(folder: string, key: string): void
  /** Reverts `beginTaking`, because the submission never reached the outbox. */
  abandonTaking(key: string): void
  /** Returns the keys that a crash left begun but neither finished nor abandoned. */
  unfinished(): readonly { readonly folder: string; readonly key: string }[]
  /** Returns how many files have been processed. */
  count(folder: string): number
  /** Whether no scan of the folder has ever finished. */
  isNew(folder: string): boolean
  markScanned(folder: string): void
  /** Removes the data of all other folders. */
  keepFolders(ids: readonly string[]): void

  /**
   * Writes the entries that don't exist yet.
   * @param results `at` is the latest possible creation time, in milliseconds since 1970
   */
  noteResults(results: readonly { readonly path: string; readonly at: number }[]): void
  resultNotedAt(path: string): number | undefined
  noteOutput(folder: string): void
  outputs(): readonly string[]
  /** Records a job that ended without reporting everything it created. */
  noteUncertain(work: UncertainWork): void
  uncertainIn(outputFolder: string): readonly UncertainWork[]
  /** Whether the file is still at its path. Another process moves it aside if it is damaged. */
  isInPlace(): boolean
  close(): void
}

export type UncertainWork = {
  readonly outputFolder: string
  /** The inputs' names without extensions. */
  readonly stems: readonly string[]
  /** Milliseconds since 1970. */
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
  (connection) => connection.exec(HELD_TABLES),
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

/**
 * @param file absolute path
 * @throws if no database can be created there
 */
export function openProcessedFiles(file: string, clock: () => number): ProcessedFiles {
  const { connection, setAside, identity } = openDatabase({
    file,
    migrations,
    checkWhole: true,
    takeBack: (merging) =>
      merging.exec(`
        INSERT OR IGNORE INTO main.files SELECT * FROM aside.files;
        INSERT INTO main.folders SELECT * FROM aside.folders WHERE true
          ON CONFLICT (id) DO UPDATE SET taken = taken + excluded.taken, looked = max(looked, excluded.looked);
        INSERT INTO main.results SELECT * FROM aside.results WHERE true
          ON CONFLICT (path) DO UPDATE SET at = max(at, excluded.at);
        INSERT OR IGNORE INTO main.outputs SELECT * FROM aside.outputs;
        INSERT INTO main.uncertain SELECT * FROM aside.uncertain;
        INSERT OR IGNORE INTO main.held SELECT * FROM aside.held;
        INSERT OR IGNORE INTO main.warned SELECT * FROM aside.warned;`),
    clock,
  })
  const sql = prepare(connection)
  const held = createHeldRecords(connection)

  const put = (folder: string, { path, fingerprint }: FoundFile, key: string | null) =>
    sql.put.run(folder, path, fingerprint.size, fingerprint.mtime, fingerprint.device, fingerprint.inode, key)
  const folderRow = (folder: string) => {
    const row = sql.folder.get(folder)
    return row && FolderRow.parse(row)
  }

  function resultNotedAt(path: string): number | undefined {
    const row = sql.resultNotedAt.get(path)
    return row && ResultRow.parse(row).at
  }

  return {
    ...held,
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
        held.keepHeldFolders(ids)
      }),

    noteResults(results) {
      const unknown = results.filter(({ path, at }) => (resultNotedAt(path) ?? Number.NEGATIVE_INFINITY) < at)
      if (unknown.length === 0) return
      inTransaction(connection, () => {
        for (const { path, at } of unknown) sql.noteResult.run(path, at)
      })
    },
    resultNotedAt,
    noteOutput: (folder) => void sql.noteOutput.run(folder),
    outputs: () => Paths.parse(sql.outputs.all()).map(({ path }) => path),
    noteUncertain: ({ outputFolder, stems, since, until }) =>
      void sql.noteUncertain.run({ output: outputFolder, stems: JSON.stringify(stems), since, until }),
    uncertainIn: (outputFolder) =>
      Uncertain.parse(sql.uncertain.all(outputFolder)).map((row) => ({ outputFolder, ...row })),

    isInPlace: () => isInPlace(file, identity),
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
    noteUncertain: connection.prepare(`
      INSERT INTO uncertain (output, stems, since, until) SELECT :output, :stems, :since, :until
      WHERE NOT EXISTS (SELECT 1 FROM uncertain
        WHERE output = :output AND stems = :stems AND since = :since AND until = :until)`),
    uncertain: connection.prepare('SELECT stems, since, until FROM uncertain WHERE output = ?'),
  }
}

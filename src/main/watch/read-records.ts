/**
 * Remembers across restarts which inputs weren't read as they were submitted: a file was saved again, or another one got its name. The
 * job has processed what was there then.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction } from '../database/index.ts'
import { type Fingerprint, type FoundFile, isUntouched } from './fingerprint.ts'

/** An input as the built-in service read it. */
export type ReadInput = Pick<FoundFile, 'path' | 'fingerprint'> & { readonly preset: string }

export interface ReadRecords {
  /** Whether a file at this path was submitted. */
  wasTaken(folder: string, path: string): boolean
  /** Records inputs as they were read. */
  noteRead(inputs: readonly ReadInput[]): void
  forgetReads(path: string): void
  /**
   * Ends a job's input. If the job has read another file, or may have, the submitted one counts as new, wherever it is now.
   * @param submittedAt when its submission was created, in milliseconds since 1970
   * @param there the file that is at its path now
   * @returns the paths to check again
   */
  endInput(folder: string, path: string, submittedAt: number, there: FoundFile | undefined): readonly string[]
  /** Whether this file was read, as it is now, for each of these presets. */
  wasRead(file: FoundFile, presets: readonly string[]): boolean
}

export const READ_TABLES = `
  CREATE TABLE reads (
    path TEXT NOT NULL,
    preset TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    born INTEGER NOT NULL,
    inode TEXT NOT NULL,
    PRIMARY KEY (path, preset)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_path ON files (path);`

const Row = z.object({
  size: z.number(),
  mtime: z.number(),
  changed: z.number(),
  born: z.number(),
  inode: z.string(),
})

const Rows = z.array(Row)
const Taken = z.object({ born: z.number(), inode: z.string(), taken_at: z.number() })
const Paths = z.array(z.object({ path: z.string() }))

/** The longest time between taking files and creating their submission, in ms. Each file is examined in between. */
const SUBMITTING_MS = 10 * 60 * 1000

/** Whether it is the same file, perhaps with another content. */
const isSameFile = (one: Pick<Fingerprint, 'inode' | 'born'>, other: Pick<Fingerprint, 'inode' | 'born'>) =>
  one.inode === other.inode && one.born === other.born

/** Whether a row is about this file as it is now. */
const isThis = (row: unknown, file: FoundFile): boolean => {
  const fingerprint = Row.safeParse(row).data
  return (
    fingerprint !== undefined &&
    isUntouched({ ...file, fingerprint: { ...file.fingerprint, ...fingerprint } }, file)
  )
}

export function createReadRecords(connection: DatabaseSync): ReadRecords {
  const sql = {
    submitted: connection.prepare('SELECT 1 FROM files WHERE path = ? LIMIT 1'),
    taken: connection.prepare('SELECT 1 FROM files WHERE folder = ? AND path = ?'),
    latest: connection.prepare(`
      SELECT born, inode, taken_at FROM files WHERE folder = ? AND path = ? AND taken_as = path
        AND taken_at BETWEEN ? AND ?`),
    forgetRenamed: connection.prepare(`
      DELETE FROM files WHERE folder = ? AND taken_as = ? AND taken_at = ? AND path <> taken_as RETURNING path`),
    disown: connection.prepare("UPDATE files SET inode = '' WHERE folder = ? AND path = ?"),
    reads: connection.prepare('SELECT size, mtime, changed, born, inode FROM reads WHERE path = ?'),
    forget: connection.prepare('DELETE FROM reads WHERE path = ?'),
    put: connection.prepare(`
      INSERT OR REPLACE INTO reads (path, preset, size, mtime, changed, born, inode) VALUES (?, ?, ?, ?, ?, ?, ?)`),
    get: connection.prepare(
      'SELECT size, mtime, changed, born, inode FROM reads WHERE path = ? AND preset = ?',
    ),
  }
  return {
    wasTaken: (folder, path) => sql.taken.get(folder, path) !== undefined,
    noteRead(inputs) {
      const submitted = inputs.filter(({ path }) => sql.submitted.get(path) !== undefined)
      if (submitted.length === 0) return
      inTransaction(connection, () => {
        for (const { path, preset, fingerprint } of submitted) {
          const { size, mtime, changed, born, inode } = fingerprint
          sql.put.run(path, preset, size, mtime, changed, born, inode)
        }
      })
    },
    forgetReads: (path) => void sql.forget.run(path),
    endInput(folder, path, submittedAt, there) {
      const row = sql.latest.get(folder, path, submittedAt - SUBMITTING_MS, submittedAt)
      if (row === undefined) return []
      const taken = Taken.parse(row)
      const reads = Rows.parse(sql.reads.all(path))
      const isThere = there !== undefined && isSameFile(there.fingerprint, taken)
      const isRead =
        reads.length === 0 ? isThere || there === undefined : reads.every((one) => isSameFile(one, taken))
      if (isRead) {
        if (isThere && reads.every((one) => isThis(one, there))) sql.forget.run(path)
        return []
      }
      const renamed = Paths.parse(sql.forgetRenamed.all(folder, path, taken.taken_at))
      // What is at its path now may still be recognized by its content.
      sql.disown.run(folder, path)
      return [path, ...renamed.map((one) => one.path)]
    },
    wasRead: (file, presets) =>
      presets.length > 0 && presets.every((preset) => isThis(sql.get.get(file.path, preset), file)),
  }
}

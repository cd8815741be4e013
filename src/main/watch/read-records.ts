/**
 * Remembers across restarts which files were saved again between being submitted and being read by their job. The job has processed
 * their new content.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction } from '../database/index.ts'
import { type FoundFile, isUntouched } from './fingerprint.ts'

/** An input as the built-in service read it. */
export type ReadInput = Pick<FoundFile, 'path' | 'fingerprint'> & { readonly preset: string }

export interface ReadRecords {
  /** Whether a file at this path was submitted. */
  wasTaken(folder: string, path: string): boolean
  /** Records the inputs that weren't read as they were submitted. */
  noteRead(inputs: readonly ReadInput[]): void
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
    taken: connection.prepare('SELECT 1 FROM files WHERE folder = ? AND path = ?'),
    submitted: connection.prepare('SELECT size, mtime, changed, born, inode FROM files WHERE path = ?'),
    put: connection.prepare(`
      INSERT OR REPLACE INTO reads (path, preset, size, mtime, changed, born, inode) VALUES (?, ?, ?, ?, ?, ?, ?)`),
    get: connection.prepare(
      'SELECT size, mtime, changed, born, inode FROM reads WHERE path = ? AND preset = ?',
    ),
  }
  return {
    wasTaken: (folder, path) => sql.taken.get(folder, path) !== undefined,
    noteRead(inputs) {
      const changed = inputs.filter((input) => {
        const rows = sql.submitted.all(input.path)
        return rows.length > 0 && !rows.every((row) => isThis(row, input))
      })
      if (changed.length === 0) return
      inTransaction(connection, () => {
        for (const { path, preset, fingerprint } of changed) {
          const { size, mtime, changed: at, born, inode } = fingerprint
          sql.put.run(path, preset, size, mtime, at, born, inode)
        }
      })
    },
    wasRead: (file, presets) =>
      presets.length > 0 && presets.every((preset) => isThis(sql.get.get(file.path, preset), file)),
  }
}

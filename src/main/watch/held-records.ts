/** Remembers across restarts which files of watched folders wait because of a rule, and which missing presets have been reported. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { inTransaction } from '../database/index.ts'
import type { FoundFile } from './fingerprint.ts'

export interface HeldRecords {
  /** Whether exactly this content is held, and for which preset; undefined if it isn't held. */
  heldFor(folder: string, file: FoundFile): { readonly preset: string | null } | undefined
  heldPaths(folder: string): readonly string[]
  /** @param preset the missing preset; null if the files wait for something else */
  hold(folder: string, files: readonly FoundFile[], preset: string | null): void
  release(folder: string, paths: readonly string[]): void
  /** Records that a missing preset was reported. Returns false if it was already recorded. */
  noteWarned(folder: string, preset: string): boolean
  /** Forgets the reports of all other presets, so that they are reported if they are missing again. */
  keepWarned(folder: string, presets: readonly string[]): void
  forgetHeld(folder: string): void
}

export const HELD_TABLES = `
  CREATE TABLE held (
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    preset TEXT,
    PRIMARY KEY (folder, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE warned (folder TEXT NOT NULL, preset TEXT NOT NULL, PRIMARY KEY (folder, preset)) STRICT, WITHOUT ROWID;`

const HeldRow = z.object({ preset: z.string().nullable() })
const PresetRows = z.array(z.object({ preset: z.string() }))
const PathRows = z.array(z.object({ path: z.string() }))

export function createHeldRecords(connection: DatabaseSync): HeldRecords {
  const sql = {
    heldFor: connection.prepare(
      'SELECT preset FROM held WHERE folder = ? AND path = ? AND size = ? AND mtime = ?',
    ),
    paths: connection.prepare('SELECT path FROM held WHERE folder = ?'),
    hold: connection.prepare(
      'INSERT OR REPLACE INTO held (folder, path, size, mtime, preset) VALUES (?, ?, ?, ?, ?)',
    ),
    release: connection.prepare('DELETE FROM held WHERE folder = ? AND path = ?'),
    noteWarned: connection.prepare('INSERT OR IGNORE INTO warned (folder, preset) VALUES (?, ?)'),
    warned: connection.prepare('SELECT preset FROM warned WHERE folder = ?'),
    forgetWarning: connection.prepare('DELETE FROM warned WHERE folder = ? AND preset = ?'),
    forgetHeld: connection.prepare('DELETE FROM held WHERE folder = ?'),
    forgetWarned: connection.prepare('DELETE FROM warned WHERE folder = ?'),
  }
  return {
    heldFor(folder, { path, fingerprint }) {
      const row = sql.heldFor.get(folder, path, fingerprint.size, fingerprint.mtime)
      return row && HeldRow.parse(row)
    },
    heldPaths: (folder) => PathRows.parse(sql.paths.all(folder)).map(({ path }) => path),
    hold: (folder, files, preset) =>
      inTransaction(connection, () => {
        for (const { path, fingerprint } of files)
          sql.hold.run(folder, path, fingerprint.size, fingerprint.mtime, preset)
      }),
    release: (folder, paths) =>
      inTransaction(connection, () => {
        for (const path of paths) sql.release.run(folder, path)
      }),
    noteWarned: (folder, preset) => sql.noteWarned.run(folder, preset).changes > 0,
    keepWarned(folder, presets) {
      for (const { preset } of PresetRows.parse(sql.warned.all(folder)))
        if (!presets.includes(preset)) sql.forgetWarning.run(folder, preset)
    },
    forgetHeld(folder) {
      sql.forgetHeld.run(folder)
      sql.forgetWarned.run(folder)
    },
  }
}

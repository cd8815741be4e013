/** Remembers across restarts which files of watched folders failed for a reason that may pass, such as a full disk, and are tried again. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

/** A file that a job couldn't process for a reason that may pass. */
export type Unfinished = {
  readonly path: string
  /** The maximum number of attempts; null if the file can't be the cause. */
  readonly most: number | null
}

export interface RetryRecords {
  /**
   * Counts a failed attempt.
   * @returns whether to retry the file
   */
  noteFailed(folder: string, file: Unfinished, at: number): boolean
  /**
   * Forgets files that were processed or are gone.
   * @param since when the attempt began, in ms since 1970. A failure after that, of another preset, still counts.
   */
  endRetries(folder: string, paths: readonly string[], since: number): void
  /** Returns the files to retry, sorted by path, and the time of each retry in ms since 1970. */
  retries(folder: string): readonly { readonly path: string; readonly at: number }[]
  isRetried(folder: string, path: string): boolean
}

export const RETRY_TABLES = `
  CREATE TABLE retries (
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    tries INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (folder, path)
  ) STRICT, WITHOUT ROWID;`

const FIRST_DELAY_MS = 5 * 60 * 1000
const LONGEST_DELAY_MS = 6 * 60 * 60 * 1000

const Tries = z.object({ tries: z.number() })
const Rows = z.array(z.object({ path: z.string(), tries: z.number(), failed: z.number() }))

export function createRetryRecords(connection: DatabaseSync): RetryRecords {
  const sql = {
    note: connection.prepare(`
      INSERT INTO retries (folder, path, tries, failed) VALUES (?, ?, 1, ?)
      ON CONFLICT (folder, path) DO UPDATE SET tries = tries + 1, failed = excluded.failed RETURNING tries`),
    end: connection.prepare('DELETE FROM retries WHERE folder = ? AND path = ? AND failed < ?'),
    giveUp: connection.prepare('DELETE FROM retries WHERE folder = ? AND path = ?'),
    all: connection.prepare('SELECT path, tries, failed FROM retries WHERE folder = ? ORDER BY path'),
    has: connection.prepare('SELECT 1 FROM retries WHERE folder = ? AND path = ?'),
  }
  return {
    noteFailed(folder, { path, most }, at) {
      const { tries } = Tries.parse(sql.note.get(folder, path, at))
      if (most === null || tries < most) return true
      sql.giveUp.run(folder, path)
      return false
    },
    endRetries(folder, paths, since) {
      for (const path of paths) sql.end.run(folder, path, since)
    },
    retries: (folder) =>
      Rows.parse(sql.all.all(folder)).map(({ path, tries, failed }) => ({
        path,
        at: failed + Math.min(FIRST_DELAY_MS * 3 ** (tries - 1), LONGEST_DELAY_MS),
      })),
    isRetried: (folder, path) => sql.has.get(folder, path) !== undefined,
  }
}

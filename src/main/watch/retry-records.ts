/**
 * Remembers across restarts which files of watched folders failed for a possibly temporary reason, such as a full disk, and are retried.
 */
import type { DatabaseSync } from 'node:sqlite'
import { integer, rowsOf, table, text } from '../database/index.ts'

/** A file that a job couldn't process for a possibly temporary reason. */
export type Unfinished = {
  readonly path: string
  /** The maximum number of attempts; null if the file can't be the cause. */
  readonly most: number | null
}

/** `failed` is the time of the last failure in ms since 1970. */
export const Retries = table(
  'retries',
  { folder: text, path: text, tries: integer, failed: integer },
  { key: ['folder', 'path'] },
)

const FIRST_DELAY_MS = 5 * 60 * 1000
const LONGEST_DELAY_MS = 6 * 60 * 60 * 1000

export function createRetryRecords(connection: DatabaseSync) {
  const rows = rowsOf(connection, Retries)
  return {
    /**
     * Counts a failed attempt.
     * @returns whether to retry the file
     */
    noteFailed(folder: string, { path, most }: Unfinished, failed: number): boolean {
      const tries = (rows.get({ folder, path })?.tries ?? 0) + 1
      if (most === null || tries < most) rows.put({ folder, path, tries, failed })
      else rows.remove({ folder, path })
      return most === null || tries < most
    },
    /**
     * Forgets files that were processed or are gone.
     * @param since when the attempt began, in ms since 1970. A failure after that, of another preset, still counts.
     */
    endRetries(folder: string, paths: readonly string[], since: number): void {
      for (const path of paths)
        if ((rows.get({ folder, path })?.failed ?? since) < since) rows.remove({ folder, path })
    },
    /** Returns the files to retry, sorted by path, and the time of each retry in ms since 1970. */
    retries: (folder: string): readonly { readonly path: string; readonly at: number }[] =>
      rows.where`folder = ${folder} ORDER BY path`.map(({ path, tries, failed }) => ({
        path,
        at: failed + Math.min(FIRST_DELAY_MS * 3 ** (tries - 1), LONGEST_DELAY_MS),
      })),
    isRetried: (folder: string, path: string): boolean => rows.has({ folder, path }),
    forgetRetries: (folder: string): void => void rows.remove({ folder }),
  }
}

/**
 * Remembers across restarts which files in watched folders have been processed. A file is marked before and after it is submitted. If a
 * crash happens in between, the submission's key shows whether it was submitted, because the outbox also stores the key.
 */
import type { DatabaseSync } from 'node:sqlite'
import { flag, integer, inTransaction, rowsOf, table, text } from '../database/index.ts'
import type { Fingerprint, FoundFile, TakenFile } from './fingerprint.ts'
import { createDeferredRecords, Deferred, Warned } from './deferred-records.ts'
import { createReadRecords, Reads } from './read-records.ts'
import { createResultRecords, Doubts, Learned, Results, Returned, Unread, Works } from './result-records.ts'
import { createRetryRecords, Retries } from './retry-records.ts'
import { Files } from './taken-files.ts'

const Folders = table('watched_folders', { id: text, taken: integer, isScanned: flag }, { key: ['id'] })

export const PROCESSED_TABLES = [
  Files,
  Folders,
  Deferred,
  Warned,
  Reads,
  Retries,
  Results,
  Returned,
  Learned,
  Unread,
  Works,
  Doubts,
] as const

export type ProcessedFiles = ReturnType<typeof createProcessedFiles>

type Known = Pick<Fingerprint, 'changed' | 'born' | 'inode'> & {
  readonly path: string
  readonly content: string | null
}

export function createProcessedFiles(connection: DatabaseSync, clock: () => number) {
  const files = rowsOf(connection, Files)
  const folders = rowsOf(connection, Folders)
  const deferred = createDeferredRecords(connection)
  const reads = createReadRecords(connection)
  const retries = createRetryRecords(connection)

  function put(folder: string, file: FoundFile, taking: string | null): void {
    const { path, fingerprint, content = null, isDoubtful = false, sameAs } = file
    const { path: takenAs, at: takenAt } = sameAs ?? { path, at: clock() }
    files.put({ folder, path, ...fingerprint, content, isDoubtful, taking, takenAs, takenAt })
  }
  const folderOf = (id: string) => folders.get({ id }) ?? { id, taken: 0, isScanned: false }
  const addToCount = (id: string, change: number): void => {
    const folder = folderOf(id)
    folders.put({ ...folder, taken: Math.max(folder.taken + change, 0) })
  }
  const known = files.only('path', 'changed', 'born', 'inode', 'content', 'takenAs', 'takenAt')
  /** Returns the recorded files with this file's size and date that had its path or its inode. */
  const rowsLike = (folder: string, { path, fingerprint: { size, mtime, inode } }: FoundFile) => [
    ...known.all({ folder, path, size, mtime }),
    ...known.all({ inode, folder, size, mtime }),
  ]

  return {
    ...deferred,
    ...createResultRecords(connection),
    ...retries,
    ...reads,

    /**
     * Compares a file with the files that the folder is done with, without reading it. `same`: the file hasn't changed. `perhaps`: a file
     * with the same size and date had its path or its inode, so its content decides.
     */
    knows(folder: string, file: FoundFile): 'same' | 'perhaps' | null {
      const rows = rowsLike(folder, file)
      if (rows.some((row) => isUntouchedSince(row, file))) return 'same'
      return rows.length > 0 ? 'perhaps' : null
    },
    /** Returns the finished file with this content: the one at this path, or the one that was renamed to it. */
    sameAs(folder: string, file: FoundFile): TakenFile | undefined {
      const same = rowsLike(folder, file).find((row) =>
        row.content === null ? isUnreadFile(row, file) : row.content === file.content,
      )
      return same && { path: same.takenAs, at: same.takenAt }
    },

    /** Marks files that must not be processed, for example our own results and files that the user declined. */
    leave: (folder: string, left: readonly FoundFile[]): void =>
      inTransaction(connection, () => {
        for (const one of left) put(folder, one, null)
      }),

    beginTaking: (folder: string, taken: readonly FoundFile[], key: string): void =>
      inTransaction(connection, () => {
        for (const one of taken) {
          put(folder, one, key)
          reads.forgetReads(one.path)
        }
      }),
    finishTaking: (folder: string, taking: string): void =>
      inTransaction(connection, () => addToCount(folder, files.update({ taking }, { taking: null }))),
    /** Reverts `beginTaking`, because the submission never reached the outbox. */
    abandonTaking: (taking: string): void => void files.remove({ taking }),
    /**
     * Forgets that a file was taken, because its job didn't process it. If it returns or was renamed, it counts as new.
     * @param submittedAt when its submission was created, in milliseconds since 1970. A file that was taken later is a different file.
     * @returns the paths at which it was found
     */
    forgetTaken: (folder: string, takenAs: string, submittedAt: number): readonly string[] =>
      inTransaction(connection, () => {
        const [last] = files.only('takenAt')
          .where`folder = ${folder} AND takenAs = ${takenAs} AND takenAt <= ${submittedAt}
          ORDER BY takenAt DESC LIMIT 1`
        if (last === undefined) return []
        const gone = files.only('path').all({ folder, takenAs, ...last })
        files.remove({ folder, takenAs, ...last })
        addToCount(folder, -1)
        return gone.map(({ path }) => path)
      }),
    /** Returns the submissions that a crash interrupted after `beginTaking`, before `finishTaking` or `abandonTaking`. */
    unfinished: (): readonly { readonly folder: string; readonly key: string }[] =>
      files.only('folder', 'taking').where`taking IS NOT NULL GROUP BY folder, taking`.map(
        ({ folder, taking }) => ({
          folder,
          key: taking ?? '',
        }),
      ),
    /** Whether a file at this path was processed although it may have been a result. */
    wasDoubtful: (path: string): boolean => files.has({ path, isDoubtful: true }),

    /** Returns how many files have been processed. */
    count: (id: string): number => folderOf(id).taken,
    /** Whether the folder hasn't been scanned yet, or the question after its first scan hasn't been answered. */
    isNew: (id: string): boolean => !folderOf(id).isScanned,
    markScanned: (id: string): void => folders.put({ ...folderOf(id), isScanned: true }),
    /** Removes the data of a folder that the user no longer wants to watch. */
    forgetFolder: (id: string): void =>
      inTransaction(connection, () => {
        files.remove({ folder: id })
        folders.remove({ id })
        retries.forgetRetries(id)
        deferred.forgetDeferred(id)
      }),
  }
}

const isUntouchedSince = (row: Known, { path, fingerprint }: FoundFile): boolean =>
  row.path === path &&
  row.changed === fingerprint.changed &&
  row.born === fingerprint.born &&
  row.inode === fingerprint.inode

/** Whether a file is the recorded one, if its content wasn't recorded. An inode can be reused, but not with the same creation time. */
const isUnreadFile = (row: Known, { path, fingerprint: { born, inode } }: FoundFile): boolean =>
  row.inode === inode && row.born === born && (born !== 0 || row.path === path)

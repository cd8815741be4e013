import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { realFolder } from './folder-presence.ts'
import { openProcessedFiles, type ProcessedFiles } from './processed-files.ts'

/** Records a result that the user has saved, so that it isn't processed if it is in a watched folder. */
export async function noteSavedResult(
  store: Pick<ProcessedFiles, 'noteResults'>,
  path: string,
  at: number,
): Promise<void> {
  store.noteResults([{ path: join(await realFolder(dirname(path)), basename(path)), at }])
}

export type SavedResults = {
  /**
   * Records a saved result. Does nothing if no folder was ever watched.
   * @throws if the database can't be written
   */
  note(path: string): Promise<void>
  close(): void
}

/**
 * Records saved results from a process that may not watch folders. Keeps the database open, because opening it takes longer than a note.
 * @param file absolute path of the database of processed files
 */
export function openSavedResults(file: string, clock: () => number): SavedResults {
  let store: ProcessedFiles | undefined
  function close(): void {
    store?.close()
    store = undefined
  }
  return {
    async note(path) {
      if (store?.isInPlace() === false) close()
      if (store === undefined && !existsSync(file)) return
      store ??= openProcessedFiles(file, clock)
      try {
        await noteSavedResult(store, path, clock())
      } catch (error) {
        close()
        throw error
      }
    },
    close,
  }
}

/** Like `SavedResults.note`, for one result. */
export async function noteSavedResultIn(file: string, path: string, clock: () => number): Promise<void> {
  const results = openSavedResults(file, clock)
  try {
    await results.note(path)
  } finally {
    results.close()
  }
}

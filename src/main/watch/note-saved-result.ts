import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { partlyRealPath } from '../../node/trusted-path.ts'
import { fingerprintFile, withContent } from './fingerprint.ts'
import { openProcessedFiles, type ProcessedFiles } from './processed-files.ts'
import type { NotedResult } from './result-records.ts'

/** Records a result that the user has saved, so that it isn't processed if it is in a watched folder. */
export async function noteSavedResult(
  store: Pick<ProcessedFiles, 'noteResults'>,
  path: string,
  at: number,
): Promise<void> {
  const found = await fingerprintFile(join(await partlyRealPath(dirname(path)), basename(path)))
  const read = found && (await withContent(found))
  if (read === undefined) return
  store.noteResults([{ path: read.path, size: read.fingerprint.size, content: read.content, at }])
}

export type SavedResults = {
  /**
   * Records a content that is about to be placed. Does nothing if no folder was ever watched.
   * @throws if the database can't be written
   */
  note(result: Omit<NotedResult, 'at'>, kind: 'result' | 'original'): void
  close(): void
}

/**
 * Records results from a process that may not watch folders. Keeps the database open, because opening it takes longer than a note.
 * @param file absolute path of the database of processed files
 */
export function openSavedResults(file: string, clock: () => number): SavedResults {
  let store: ProcessedFiles | undefined
  function close(): void {
    store?.close()
    store = undefined
  }
  return {
    note(result, kind) {
      if (store?.isInPlace() === false) close()
      if (store === undefined && !existsSync(file)) return
      store ??= openProcessedFiles(file, clock)
      try {
        const noted = { ...result, at: clock() }
        if (kind === 'result') store.noteResults([noted])
        else store.noteReturned(noted)
      } catch (error) {
        close()
        throw error
      }
    },
    close,
  }
}

/**
 * Like `noteSavedResult`, for several results. Does nothing if no folder was ever watched.
 * @param file absolute path of the database of processed files
 * @throws if the database can't be written
 */
export async function noteSavedResultsIn(
  file: string,
  paths: readonly string[],
  clock: () => number,
): Promise<void> {
  if (paths.length === 0 || !existsSync(file)) return
  const store = openProcessedFiles(file, clock)
  try {
    for (const path of paths) await noteSavedResult(store, path, clock())
  } finally {
    store.close()
  }
}

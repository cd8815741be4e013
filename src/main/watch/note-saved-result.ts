import { existsSync } from 'node:fs'
import { realFolder } from './folder-presence.ts'
import { openProcessedFiles, type ProcessedFiles } from './processed-files.ts'

/** Records a result that the user has saved, so that it isn't processed if it is in a watched folder. */
export async function noteSavedResult(
  store: Pick<ProcessedFiles, 'noteResults'>,
  path: string,
  at: number,
): Promise<void> {
  store.noteResults([{ path: await realFolder(path), at }])
}

/**
 * Records a saved result from a process that doesn't watch folders.
 * @param file absolute path of the database of processed files; does nothing if it doesn't exist
 * @throws if the database can't be written
 */
export async function noteSavedResultIn(file: string, path: string, clock: () => number): Promise<void> {
  if (!existsSync(file)) return
  const store = openProcessedFiles(file, clock)
  try {
    await noteSavedResult(store, path, clock())
  } finally {
    store.close()
  }
}

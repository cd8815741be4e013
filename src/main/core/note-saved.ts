import { join } from 'node:path'
import { noteSavedResultIn } from '../watch/index.ts'

/** Returns the path of the database of processed files. */
export const watchedFileIn = (dataFolder: string): string => join(dataFolder, 'watched.db')

/**
 * Records a result that a command has saved, so that the app doesn't process that file if it watches the folder.
 *
 * @throws if the result can't be recorded
 */
export const noteSaved = (dataFolder: string, path: string, clock: () => number): Promise<void> =>
  noteSavedResultIn(watchedFileIn(dataFolder), path, clock)

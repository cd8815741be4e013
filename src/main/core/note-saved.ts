import { join } from 'node:path'
import { noteSavedResultsIn } from '../watch/index.ts'

/** Returns the path of the database of processed files. */
export const watchedFileIn = (dataFolder: string): string => join(dataFolder, 'watched.db')

/**
 * Records results that were saved or changed outside of a job, so that watched folders don't process them.
 *
 * @throws if a result can't be recorded
 */
export const noteSaved = (dataFolder: string, paths: readonly string[], clock: () => number): Promise<void> =>
  noteSavedResultsIn(watchedFileIn(dataFolder), paths, clock)

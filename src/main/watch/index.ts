export { noteSavedResultIn, openSavedResults } from './note-saved-result.ts'
export type { FinishedWork, RunningWork } from './own-results.ts'
export { createWatchFolders, type WatchFolders, type WatchFoldersOptions } from './watch-folders.ts'
export type { WatchTiming, WatchTrouble } from './watched-folder.ts'

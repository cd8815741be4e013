export type { FinishedWork, RunningWork } from './own-results.ts'
export {
  createWatchFolders,
  type WatchFolders,
  type WatchFoldersOptions,
  type WatchTiming,
} from './watch-folders.ts'
export type { WatchTrouble } from './watched-folder.ts'

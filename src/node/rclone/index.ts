export { DRIVE_CHOICE_FILE, parseDriveChoice, rclonePlaces, type DriveChoice } from './program.ts'
export { explainTrouble } from './failure.ts'
export type { FailureKind, LogEntry } from './failure.ts'
export type { DriveTrouble } from '../../shared/model/built-in-service.ts'
export {
  isFolderEntry,
  LIST_FOLDER,
  STAT_ENTRY,
  mayBeFile,
  parseListing,
  LIST_REMOTES,
  parseRemotes,
  type DriveEntry,
} from './listing.ts'
export { runRclone } from './run.ts'
export type { RcloneAnswer, RcloneCall } from './run.ts'

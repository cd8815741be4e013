export { DriveFailure } from './drive.ts'
export type {
  Drive,
  DriveFolder,
  DriveReadiness,
  FolderOpening,
  TogetherControl,
  TransferControl,
} from './drive.ts'
export { createRcloneDrive } from './rclone-drive.ts'
export type { DriveTiming, RcloneDriveOptions } from './rclone-drive.ts'

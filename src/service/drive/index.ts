export { DriveFailure, type Drive, type DriveFolder, type TransferControl } from './drive.ts'
export { createRcloneDrive } from './rclone-drive.ts'

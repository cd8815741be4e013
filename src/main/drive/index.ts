export { createDriveSetup, DriveSetupError, NO_RCLONE, NO_REMOTE, statusText } from './drive-setup.ts'
export type { DriveSetup, DriveSetupOptions } from './drive-setup.ts'

export { unconfiguredDrive } from './drive.ts'
export type { Drive, DriveReadiness } from './drive.ts'

export { lastCheckIn, type LastCheck } from './last-check.ts'
export type { Updater } from './updater.ts'
export { createUpdates, type Updates, type UpdatesOptions } from './updates.ts'

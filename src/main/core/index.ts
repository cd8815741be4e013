export { APP_ROLE, openCore, type Core, type CoreOptions, type Role } from './core.ts'
export { createEvents, type CoreEvents, type Events, type Log } from './events.ts'
export type { KnownFiles } from './known-paths.ts'
export { startWatching } from './submit-watched.ts'

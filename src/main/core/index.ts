export { APP_ROLE, openCore, type Core, type CoreOptions, type Role } from './core.ts'
export type { CoreEvents, Events, Log } from './events.ts'
export type { KnownFiles } from './known-paths.ts'
export { startWatching } from './submit-watched.ts'

export { createCore, type Added, type Core, type CoreOptions } from './core.ts'
export type { KnownFiles } from './known-paths.ts'
export { startWatching } from './submit-watched.ts'

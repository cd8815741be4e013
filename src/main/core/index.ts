export { createCore, type Core, type CoreOptions, type StartOptions, type Timing } from './core.ts'
export type { KnownFiles } from './known-files.ts'

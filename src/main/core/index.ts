export {
  createCore,
  type Added,
  type Core,
  type CoreOptions,
  type StartOptions,
  type Timing,
} from './core.ts'
export type { KnownFiles } from './known-files.ts'
export type { Gathered, TakeIn } from './take-in.ts'

export { serveCommands, type Serving } from './serve-commands.ts'
export type { RunCommand } from './session.ts'

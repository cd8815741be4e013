export type { CliEvent, Inputs, Report, Step } from './event.ts'
export { createHumanReport } from './human-report.ts'
export { createJsonReport } from './json-report.ts'
export { nameOf } from './words.ts'

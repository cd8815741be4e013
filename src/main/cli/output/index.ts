export type { CliEvent, Report, Step, Submission } from './event.ts'
export { createHumanReport } from './human-report.ts'
export { createJsonReport } from './json-report.ts'
export { t } from './english.ts'

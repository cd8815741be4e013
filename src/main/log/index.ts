export { logFileIn, openLog, readLogTail, type Log, type LogOptions } from './log.ts'
export { withoutSecrets } from './without-secrets.ts'

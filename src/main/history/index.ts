export { failedInputs } from './draft-from-record.ts'
export type { PageRequest } from './find-records.ts'
export { openHistory, type History, type HistoryOptions } from './open-history.ts'
export type { AcceptanceRecord, ForeignRecord, SubmissionRecord, UnfinishedRecord } from './record-store.ts'

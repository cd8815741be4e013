export { exportCsv } from './export-records.ts'
export type { PageRequest } from './find-records.ts'
export { openHistory, type History, type HistoryOptions } from './history.ts'
export type {
  AcceptanceRecord,
  EndlessJob,
  ForeignRecord,
  SubmissionRecord,
  UnfinishedRecord,
} from './record-store.ts'

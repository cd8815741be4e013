export { exportCsv } from './export-records.ts'
export type { PageRequest } from './find-records.ts'
export { openHistory, type History, type HistoryOptions } from './history.ts'
export {
  titleOf,
  type AcceptanceRecord,
  type OpenJob,
  type ForeignRecord,
  type SubmissionRecord,
  type UnfinishedRecord,
} from './record-store.ts'

export { failedInputs, pathOfProblem, problemsByInput } from './draft-from-record.ts'
export { exportCsv } from './export-records.ts'
export type { PageRequest } from './find-records.ts'
export type { LedgerResult, LedgerRow, NewLedgerRow } from './ledger.ts'
export type { FileSizes } from './measured-results.ts'
export { openHistory, type History, type HistoryOptions, type Measurement } from './history.ts'
export type { HookQueue, HookRules, QueuedHook } from './hook-queue.ts'
export { titleOf } from './record-row.ts'
export type {
  AcceptanceRecord,
  OpenJob,
  ForeignRecord,
  SubmissionRecord,
  UnfinishedRecord,
} from './record-store.ts'

import type { OutcomeKind } from './outcome.ts'
import type { RecordSummary } from './work.ts'

export type HistoryQuery = {
  /** Words looked for in file names, folders, presets and error texts; all must match. */
  readonly text?: string
  readonly outcomes?: readonly OutcomeKind[]
  readonly preset?: string
  /** ms since 1970, inclusive. */
  readonly from?: number
  /** ms since 1970, exclusive. */
  readonly to?: number
  readonly kind?: 'photos' | 'videos'
}

export type HistoryPage = {
  readonly records: readonly RecordSummary[]
  /** All that match, not only this page. */
  readonly total: number
  readonly offset: number
}

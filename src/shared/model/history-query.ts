import type { OutcomeKind } from './outcome.ts'
import type { RecordSummary } from './work.ts'

export type HistoryQuery = {
  /** Words looked for in file names, folders, presets and error texts; all must match. */
  readonly text?: string | undefined
  readonly outcomes?: readonly OutcomeKind[] | undefined
  readonly preset?: string | undefined
  /** ms since 1970, inclusive. */
  readonly from?: number | undefined
  /** ms since 1970, exclusive. */
  readonly to?: number | undefined
  readonly kind?: 'photos' | 'videos' | undefined
}

export type HistoryPage = {
  readonly records: readonly RecordSummary[]
  /** All that match, not only this page. */
  readonly total: number
  readonly offset: number
}

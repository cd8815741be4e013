import type { FileError } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome, ResultFile } from '../../shared/model/job.ts'

/** A completed job whose results are on the service's computer. */
export type FetchOrder = {
  readonly id: RecordId
  readonly jobId: string
  /** The job's creation time as the service sent it; absent if unknown. */
  readonly jobCreatedAt?: string | undefined
  /** The identity of the only service that has the results. */
  readonly service: string
  /** The job's outcome, provided that all results can be downloaded. */
  readonly outcome: Outcome
  /** Milliseconds since 1970. */
  readonly endedAt: number
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
}

/** The outcome of an order. */
export type Fetched = {
  readonly id: RecordId
  readonly outcome: Outcome
  /** Milliseconds since 1970. */
  readonly endedAt: number
  /** Downloaded results with their local paths. */
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
  /** Whether the order was already reported as finished and its failed files were retried. */
  readonly again: boolean
}

/** The progress of an order. */
export type FetchingNow = {
  readonly id: RecordId
  /** ID of the service that has the results. */
  readonly service: string
  readonly jobId: string
  readonly done: readonly string[]
  readonly total: number
  /** Progress of the current file, 0..1. */
  readonly share: number
}

import type { FileError } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { ResultFile } from '../../shared/model/work.ts'

/** A completed job whose results are on the service's computer. */
export type FetchOrder = {
  readonly id: RecordId
  readonly jobId: string
  /** As the service wrote it; absent where an earlier version began the order. */
  readonly jobCreatedAt?: string | undefined
  /** The identity of the only service that has them. */
  readonly service: string
  /** What it would mean if they were here. */
  readonly outcome: Outcome
  /** ms since 1970. */
  readonly endedAt: number
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
}

/** What came of it. */
export type Fetched = {
  readonly id: RecordId
  readonly outcome: Outcome
  /** ms since 1970. */
  readonly endedAt: number
  /** Those that are here, with their paths on this computer. */
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
  /** It was told before, and what had failed then was tried again. */
  readonly again: boolean
}

/** An order under way, for whoever shows it. */
export type FetchingNow = {
  readonly id: RecordId
  readonly jobId: string
  readonly done: readonly string[]
  readonly total: number
  /** 0..1, of the file that is being fetched. */
  readonly share: number
}

import type { FileError, JobStatus } from '../api/resources.ts'
import type { NoteCount } from '../result-notes.ts'
import type { ConnectionKind } from './connection.ts'
import type { KeptForecast } from './forecast.ts'
import type { OutputTarget } from './draft.ts'
import type { RecordId } from './ids.ts'
import type { MediaItem } from './media-item.ts'
import type { Outcome, OutcomeKind } from './outcome.ts'

/** What every row of the one list says about a piece of work, wherever in its life it is. */
export type WorkTitle = {
  readonly id: RecordId
  /** The first file's name, or the Drive folder's id. */
  readonly name: string
  /** The first file on this computer, for its thumbnail; null for Drive input and for jobs of other clients. */
  readonly firstPath: string | null
  readonly photos: number
  readonly videos: number
  /** All inputs; null while a Drive folder is not counted yet. */
  readonly files: number | null
  /** null: basic defaults. */
  readonly preset: string | null
  readonly variations: number
  /** null for jobs of other clients, which do not say. */
  readonly output: OutputTarget | null
  readonly driveInput: string | null
  readonly origin: 'ours' | 'other'
  /** ms since 1970. */
  readonly createdAt: number
}

/** A job that might be this submission, offered when the answer to its POST was lost. */
export type Candidate = {
  readonly jobId: string
  readonly name: string
  readonly files: number | null
  readonly preset: string
  readonly status: JobStatus
  /** As the service wrote it; its format is not specified. */
  readonly createdAt: string
}

export type WaitingReason =
  | 'turn'
  | 'queueFull'
  | 'offline'
  | 'keyRefused'
  | 'wrongVersion'
  | 'unconfigured'
  | 'paused'
  | 'diskFull'
  /** Held back a few seconds so that it can be undone. */
  | 'undo'

export type SubmissionState =
  | { readonly kind: 'waiting'; readonly because: WaitingReason; readonly notBefore: number | null }
  | {
      readonly kind: 'sending'
      /** Where inputs are uploaded first: bytes sent of all bytes. */
      readonly upload: { readonly sent: number; readonly total: number } | null
    }
  /** `message` is the service's own text. */
  | {
      readonly kind: 'refused'
      readonly message: string
      readonly why: 'invalid' | 'drive' | 'tooLarge' | 'inputsGone'
      readonly skipped: readonly FileError[]
    }
  /** It may or may not have arrived; only the user can tell. */
  | { readonly kind: 'unknown'; readonly candidates: readonly Candidate[]; readonly checking: boolean }

/** What waits in the outbox, in the order in which it will be sent. */
export type OutboxEntry = WorkTitle & { readonly state: SubmissionState }

export type JobProgress = {
  /** 0..1, never falling; null when nothing believable is known. */
  readonly share: number | null
  /** The service's own word. */
  readonly phase: string | null
  /** 1-based. */
  readonly currentFile: number | null
  readonly totalFiles: number | null
  readonly completedFiles: number | null
  readonly fileName: string | null
  /** ms; null when it would be a guess. */
  readonly timeLeft: number | null
}

export type JobStage =
  | { readonly kind: 'queued'; /** 1 is the next one. */ readonly position: number }
  | { readonly kind: 'processing' }
  /** Cancellation was asked for and has not been read back yet. */
  | { readonly kind: 'cancelling' }
  /** Processed; the upload to a drive is not over. */
  | { readonly kind: 'uploading' }

/** A job that the service has accepted and that is not over. */
export type ActiveJob = WorkTitle & {
  readonly jobId: string
  readonly stage: JobStage
  readonly progress: JobProgress
  /** ms since 1970; null before processing. */
  readonly startedAt: number | null
  /** Result files so far, by the input's name: the ticks in the file list. */
  readonly doneFiles: readonly string[]
}

/** A row of the history. */
export type RecordSummary = WorkTitle & {
  /** null while it is not over. */
  readonly outcome: Outcome | null
  /** ms since 1970; null while it is not over. */
  readonly endedAt: number | null
  /** It needs a look: problems or a failure that nobody has opened yet. */
  readonly unseen: boolean
}

export type ResultFile = {
  /** The input it was made from, as the service names it; '' when it does not. */
  readonly file: string
  readonly outputPath: string
  /** For `GET /download/{jobId}?index=`. */
  readonly index: number
}

/** Everything that is remembered about one piece of work. */
export type RecordDetails = RecordSummary & {
  readonly inputs: readonly MediaItem[]
  readonly grouping: 'together' | 'separate'
  readonly skipped: readonly FileError[]
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
  /** What was on show when it was started; null where nothing was, or it was of more than this. */
  readonly forecast: KeptForecast | null
  /** Bytes of all results when it was over; null where one of them was not on this computer. */
  readonly resultBytes: number | null
  readonly facts: {
    readonly service: ConnectionKind | null
    readonly baseUrl: string | null
    readonly jobId: string | null
    readonly acceptedAt: number | null
    readonly startedAt: number | null
    /** The service's own words about the failure, unchanged. */
    readonly serviceText: string | null
    /** What is worth knowing of results that were made as asked. */
    readonly notes: readonly NoteCount[]
  }
}

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

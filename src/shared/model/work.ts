import type { Failure } from '../failure/failure.ts'
import type { FileError, JobStatus } from '../api/resources.ts'
import type { Loss } from '../loss/loss.ts'
import type { NoteCount } from '../result-notes.ts'
import type { HookState } from './hook-state.ts'
import type { ChosenOptions } from './chosen-options.ts'
import type { ConnectionKind } from './connection.ts'
import type { KeptEstimate } from './estimate.ts'
import type { OutputTarget } from './draft.ts'
import type { RecordId } from './ids.ts'
import type { MediaItem } from './media-item.ts'
import type { Outcome, OutcomeKind } from './outcome.ts'
import type { QuietReason, QuietWait } from './quiet.ts'
import type { ReplacedCounts, Replacement } from './replacement.ts'

/**
 * The place of a submission among several that the user sees as one job: one for each preset, folder and 64 KiB of file names. The
 * counts are those of the whole group.
 */
export type GroupPlace = {
  /** ID of the group and of its first part. */
  readonly id: RecordId
  /** 0-based. */
  readonly part: number
  readonly parts: number
  /** Number of different photos and videos in all parts. */
  readonly photos: number
  readonly videos: number
  /** Number of different presets and output folders. */
  readonly presets: number
  readonly folders: number
}

/** What an action on a part affects: only it, all parts with its preset, or the whole group. Without a group, all are the same. */
export const WORK_SCOPES = ['part', 'preset', 'group'] as const
export type WorkScope = (typeof WORK_SCOPES)[number]

/** The data about a job that every list row shows, in any state. */
export type WorkTitle = {
  readonly id: RecordId
  /** The first file's name, or the Drive folder's ID. */
  readonly name: string
  /** Path of the first file on this computer, for its thumbnail; null for Drive input and other clients' jobs. */
  readonly firstPath: string | null
  readonly photos: number
  readonly videos: number
  /** Number of inputs; null until the service has listed the Drive folder. */
  readonly files: number | null
  /** null means the service's basic defaults. */
  readonly preset: string | null
  readonly variations: number
  /** null for other clients' jobs, which don't report it. */
  readonly output: OutputTarget | null
  readonly driveInput: string | null
  /** null if the submission is a whole job. */
  readonly group: GroupPlace | null
  readonly origin: 'ours' | 'other'
  /** ms since 1970. */
  readonly createdAt: number
  /** Missing if no assistant submitted it. */
  readonly by?: 'assistant'
  /** ID of its service; missing if that is the service that the settings name. */
  readonly service?: string
}

/** A job at the service that may be this submission. Offered to the user if the response to `POST /jobs` was lost. */
export type Candidate = {
  readonly jobId: string
  readonly name: string
  readonly files: number | null
  readonly preset: string
  readonly status: JobStatus
  /** As the service wrote it; its format isn't specified. */
  readonly createdAt: string
}

export type WaitingReason =
  | 'turn'
  | 'queueFull'
  | 'offline'
  | 'keyRefused'
  | 'wrongVersion'
  | 'unconfigured'
  | QuietReason
  /** The user is changing it in the composer. */
  | 'editing'
  | 'diskFull'
  /** Held back for a few seconds so that the user can undo it. */
  | 'undo'
  /** The results can't be saved now. */
  | 'output'
  /** The service has failed to create the job several times. */
  | 'serviceFailed'

export type SubmissionState =
  | {
      readonly kind: 'waiting'
      readonly because: WaitingReason
      /** Why the results can't be saved now, or why the service fails. */
      readonly unsaved?: Failure
      /** End of the undo period in ms since 1970; null after it. */
      readonly notBefore: number | null
      /** When quiet mode lets it start, in ms since 1970; missing if unknown or if it waits for something else. */
      readonly until?: number
    }
  | {
      readonly kind: 'sending'
      /** Bytes sent so far and in total, if inputs are uploaded first. */
      readonly upload: { readonly sent: number; readonly total: number } | null
    }
  /** `message` is the service's own text, or ours in English. */
  | {
      readonly kind: 'refused'
      readonly message: string
      readonly failure?: Failure | undefined
      readonly why: 'invalid' | 'drive' | 'tooLarge' | 'inputsGone' | 'service'
      readonly skipped: readonly FileError[]
    }
  /** The service may have received the submission. Only the user can find out. */
  | {
      readonly kind: 'unknown'
      readonly candidates: readonly Candidate[]
      readonly checking: boolean
      /** Deadline of the check, ms since 1970; missing until the check starts. */
      readonly until?: number
    }

/** A submission in the outbox. Entries are in sending order. */
export type OutboxEntry = WorkTitle & { readonly state: SubmissionState }

export type JobProgress = {
  /** 0..1, never decreases; null without a plausible value. */
  readonly share: number | null
  /** The service's own text. */
  readonly phase: string | null
  /** 1-based. */
  readonly currentFile: number | null
  readonly totalFiles: number | null
  readonly completedFiles: number | null
  readonly fileName: string | null
  /** In ms; null without an estimate. */
  readonly timeLeft: number | null
}

export type JobStage =
  | { readonly kind: 'queued'; /** 1 is the next one. */ readonly position: number }
  | { readonly kind: 'processing' }
  /** Cancellation was requested but isn't confirmed yet. */
  | { readonly kind: 'cancelling' }
  /** Processed, but not fully uploaded to the drive yet. */
  | { readonly kind: 'uploading' }

/** A job that the service has accepted but not finished. */
export type ActiveJob = WorkTitle & {
  readonly jobId: string
  readonly stage: JobStage
  /** Why the built-in service has paused the job; missing if it hasn't. */
  readonly held?: QuietWait
  readonly progress: JobProgress
  /** ms since 1970; null until processing starts. */
  readonly startedAt: number | null
  /** Input names of the results finished so far, for the check marks in the file list. */
  readonly doneFiles: readonly string[]
  /** Files that have failed so far, if the service reports them before the job ends. */
  readonly problems: readonly FileError[]
  /**
   * The invalid field in the service's latest report about this job. All other fields of the job are from the last valid report.
   */
  readonly unreadable?: string
}

/** All parts of a group in the history, taken together. */
export type GroupSummary = {
  /** null until all parts are finished. */
  readonly outcome: Outcome | null
  /** ms since 1970; null until all parts are finished. */
  readonly endedAt: number | null
  /** Whether any part needs attention. */
  readonly unseen: boolean
  /** null until the originals of a part have been replaced. */
  readonly replaced: ReplacedCounts | null
}

/** A row of the history: a job, or the first part of a group. */
export type RecordSummary = WorkTitle & {
  /** The whole group if this is its first part; otherwise null. */
  readonly members: GroupSummary | null
  /** null until the job is finished. */
  readonly outcome: Outcome | null
  /** ms since 1970; null until the job is finished. */
  readonly endedAt: number | null
  /** Whether it needs attention: the job failed or has problems, and the user hasn't opened it. */
  readonly unseen: boolean
  /** null if the job doesn't replace its originals, or hasn't yet. */
  readonly replaced: ReplacedCounts | null
}

export type ResultFile = {
  /** The input's name as reported by the service; '' if it doesn't report one. */
  readonly file: string
  readonly outputPath: string
  /** What the original has and the result lacks. Only the built-in service reports it. */
  readonly losses?: readonly Loss[] | undefined
  /** Index for `GET /download/{jobId}?index=`. */
  readonly index: number
}

/** Everything stored about one job. */
export type RecordDetails = RecordSummary & {
  /** All parts of the group, including this one, in order; empty if this isn't the first part of a group. */
  readonly parts: readonly RecordSummary[]
  /** What happened to the originals that the job, or any part of its group, was to replace. */
  readonly replacements: readonly Replacement[]
  readonly inputs: readonly MediaItem[]
  readonly grouping: 'together' | 'separate'
  /** The options of the whole job if this record has only a part of them; otherwise null. */
  readonly chosen: ChosenOptions | null
  /** ID of the watched folder whose files it processed; null or missing for all other jobs. */
  readonly watched?: string | null
  /** What ran after the whole job; missing where it isn't shown. */
  readonly hooks?: readonly HookState[]
  readonly skipped: readonly FileError[]
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
  /** The estimate shown when the job was started; null if there wasn't one, or if it covered more than this job. */
  readonly forecast: KeptEstimate | null
  /** Total size of the results when the job finished; null if any of them wasn't on this computer. */
  readonly resultBytes: number | null
  readonly facts: {
    readonly service: ConnectionKind | null
    readonly baseUrl: string | null
    readonly jobId: string | null
    readonly acceptedAt: number | null
    readonly startedAt: number | null
    /** The service's own failure message, unchanged. */
    readonly serviceText: string | null
    /** Missing if another service wrote the text, or if the record was stored before failures had codes. */
    readonly serviceFailure?: Failure | undefined
    /** Remarks about successful results, such as a kept original. */
    readonly notes: readonly NoteCount[]
  }
}

export type HistoryQuery = {
  /** Search words for file names, folders, presets and error texts; all must match. */
  readonly text?: string | undefined
  readonly outcomes?: readonly OutcomeKind[] | undefined
  readonly preset?: string | undefined
  /** ms since 1970, inclusive. */
  readonly from?: number | undefined
  /** ms since 1970, exclusive. */
  readonly to?: number | undefined
  readonly kind?: 'photos' | 'videos' | undefined
  /** Only jobs that replaced originals, including those whose originals were restored. */
  readonly replaced?: true | undefined
  /** Only jobs that assistants submitted. */
  readonly by?: 'assistant' | undefined
}

/** Matches are counted up to this number, because counting a million takes longer than finding a page of them. */
export const MOST_COUNTED = 10_000

export type HistoryPage = {
  readonly records: readonly RecordSummary[]
  /** Number of matches on all pages, but only those older than the key with which the page was requested; at most `MOST_COUNTED`. */
  readonly total: number
  /** Whether there are more matches than `total`. */
  readonly hasMore: boolean
  /** The key of the last record, with which the next page can be requested; null if the page is empty. */
  readonly last: number | null
}

/** All finished jobs: how many, and when the oldest was created, in ms since 1970. */
export type HistoryExtent = { readonly total: number; readonly since: number | null }

/**
 * What the user sees as one job, and its parts. Most jobs have only one part. A part is one request to a service: first a submission in the
 * outbox, then a job at the service, then a record in the history. Everything else about a job follows from its parts.
 */
import type * as z from 'zod'
import type { Failure } from '../failure/failure.ts'
import type { FileError, JobStatus } from '../api/resources.ts'
import type { LostCounts } from '../loss/lost-counts.ts'
import type { Loss } from '../loss/loss.ts'
import type { Quality } from '../quality/quality.ts'
import type { HookState } from './hook-state.ts'
import type { ChosenOptions } from './chosen-options.ts'
import type { ConnectionKind } from './connection.ts'
import type { KeptEstimate } from './estimate.ts'
import type { OutputTarget } from './draft.ts'
import type { RecordId } from './ids.ts'
import type { MediaItem } from './media-item.ts'
import type { PartFacts } from './part-facts.ts'
import type { QuietReason, QuietWait } from './quiet.ts'
import type { ReplacedCounts, Replacement } from './replacement.ts'

export type Job = {
  /** In the order that the user chose. A part that is just leaving the outbox may be missing. */
  readonly parts: readonly [Part, ...Part[]]
  /** The job's turn among the waiting jobs of its service; null if it doesn't wait. */
  readonly turn: {
    /** 1-based. */
    readonly place: number
    readonly of: number
    /** Whether the job runs next. Jobs that wait for something other than their turn don't hold it up. */
    readonly isNext: boolean
  } | null
}

/** What is known about a part in the outbox, at the service and in the history. */
export type PartTitle = {
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
  /**
   * The place of the part in its job, and the counts of the whole job. A job has a part for each preset and output folder, and
   * further parts if the paths of the files don't fit into one request (64 KiB).
   */
  readonly place: {
    /** The ID of the job and of its first part. */
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
  readonly origin: 'ours' | 'other'
  /** ms since 1970. */
  readonly createdAt: number
  /** Missing if no assistant submitted it. */
  readonly by?: 'assistant'
  /** ID of the part's service; missing for the service selected in the settings. */
  readonly service?: string
}

export type Part =
  | (PartTitle & { readonly at: 'outbox'; readonly state: SubmissionState })
  /** Accepted, but not finished. */
  | (PartTitle & {
      readonly at: 'service'
      readonly jobId: string
      readonly stage:
        | { readonly kind: 'queued'; /** 1 is the next one. */ readonly position: number }
        | { readonly kind: 'processing' }
        /** Cancellation was requested but isn't confirmed yet. */
        | { readonly kind: 'cancelling' }
        /** Processed, but not fully uploaded to the drive yet. */
        | { readonly kind: 'uploading' }
      /** Why the built-in service has paused the job; missing if it hasn't. */
      readonly held?: QuietWait
      readonly progress: {
        /** 0..1; null without a plausible value. Decreases only if the built-in service processes a file again. */
        readonly share: number | null
        /** The service's own text. */
        readonly phase: string | null
        /** 1-based. */
        readonly currentFile: number | null
        readonly totalFiles: number | null
        readonly completedFiles: number | null
        readonly fileName: string | null
        /** Number of files that are processed in parallel, if more than one. */
        readonly filesInProgress?: number | undefined
        /** Whether files wait until memory is free. */
        readonly waitsForMemory?: boolean | undefined
        /** Whether files wait until there is space on the disk. */
        readonly waitsForDiskSpace?: boolean | undefined
        /** In ms; null without an estimate. */
        readonly timeLeft: number | null
      }
      /** ms since 1970; null until processing starts. */
      readonly startedAt: number | null
      /** Names of the inputs for which all variations are finished. */
      readonly doneFiles: readonly string[]
      /** Files that have failed so far, if the service reports them before the job ends. */
      readonly problems: readonly FileError[]
      /** The invalid field in the service's latest report. All other fields are from the last valid report. */
      readonly unreadable?: string
    })
  /** On a page of the history, one entry stands for all parts of its job. */
  | (PartTitle & {
      readonly at: 'history'
      /** null until the part is finished. */
      readonly outcome: Outcome | null
      /** ms since 1970; null until the part is finished. */
      readonly endedAt: number | null
      /** Whether the job needs attention: it failed or has problems, and the user hasn't opened it. */
      readonly unseen: boolean
      /** null if the originals aren't replaced, or haven't been yet. */
      readonly replaced: ReplacedCounts | null
    })

/** A job, or some of its parts. */
export type WithParts = { readonly parts: readonly Part[] }

export type PartAt<Where extends Part['at']> = Extract<Part, { readonly at: Where }>

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
  /** The service can't create the job now, for example because it has failed or doesn't have the preset. */
  | 'serviceFailed'

export type SubmissionState =
  | {
      readonly kind: 'waiting'
      readonly because: WaitingReason
      /** Why the results can't be saved now, or why the service can't create the job. */
      readonly unsaved?: Failure
      /** End of the undo period in ms since 1970; null after it. */
      readonly notBefore: number | null
      /** When quiet mode lets the job start, in ms since 1970; missing if unknown or if the job waits for another reason. */
      readonly until?: number
    }
  | {
      readonly kind: 'sending'
      /** Bytes sent so far and in total; null unless inputs are uploaded first. */
      readonly upload: { readonly sent: number; readonly total: number } | null
    }
  /** `message` is the service's own text, or the app's text in English. */
  | {
      readonly kind: 'refused'
      readonly message: string
      readonly failure?: Failure | undefined
      readonly why: 'invalid' | 'drive' | 'tooLarge' | 'inputsGone' | 'service'
      readonly skipped: readonly FileError[]
    }
  /** The service may have received the submission. While `checking` is set, the app looks for the job. Then the user must decide. */
  | {
      readonly kind: 'unknown'
      readonly candidates: readonly Candidate[]
      readonly checking: boolean
      /** Deadline of the check, ms since 1970; missing until the check starts. */
      readonly until?: number
    }

/** How a part or a job ended, from the user's point of view. */
export type Outcome =
  | {
      readonly kind: 'done'
      readonly results: number
      readonly uploaded: number | null
      /** What results lost; missing if nothing was lost. */
      readonly lost?: LostCounts | undefined
    }
  | {
      readonly kind: 'problems'
      readonly results: number
      readonly problems: number
      readonly uploaded: number | null
      readonly lost?: LostCounts | undefined
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly failure?: Failure | undefined }
  | { readonly kind: 'cancelled'; readonly results: number }
  /** The job disappeared from the service before the app learned its outcome. */
  | { readonly kind: 'forgotten' }

export const OUTCOME_KINDS = [
  'done',
  'problems',
  'failed',
  'cancelled',
  'forgotten',
] as const satisfies readonly Outcome['kind'][]

export type ResultFile = {
  /** The input's name as reported by the service; '' if it doesn't report one. */
  readonly file: string
  readonly outputPath: string
  /** What the original has and the result lacks. Only the built-in service reports it. */
  readonly losses?: readonly Loss[] | undefined
  /** How similar it looks to its original; missing if unknown or not measured. Only the built-in service reports it. */
  readonly quality?: Quality | undefined
  /** Index for `GET /download/{jobId}?index=`. */
  readonly index: number
}

/** A part of a job that replaces originals. */
export type ReplacingPart = Pick<PartDetails, 'id' | 'preset' | 'inputs' | 'results'>

export type PartDetails = PartAt<'history'> & {
  /** If this is the first of several parts, all parts of the job in order; otherwise empty. */
  readonly parts: readonly PartAt<'history'>[]
  /** What happened to the originals that the job, or any part of it, was to replace. */
  readonly replacements: readonly Replacement[]
  /** The other parts whose originals are in `replacements`; missing unless the details are loaded for the window. */
  readonly otherReplacing?: readonly ReplacingPart[]
  readonly inputs: readonly MediaItem[]
  readonly grouping: 'together' | 'separate'
  /** The options of the draft if they can't be read from this part; otherwise null. */
  readonly chosen: ChosenOptions | null
  /** ID of the watched folder whose files the part processed; null or missing for all other parts. */
  readonly watched?: string | null
  /** What ran after the whole job; missing unless the details are loaded for the window. */
  readonly hooks?: readonly HookState[]
  readonly skipped: readonly FileError[]
  readonly results: readonly ResultFile[]
  readonly problems: readonly FileError[]
  /** The estimate shown when the job was started; null if there wasn't one, or if it covered more than this part. */
  readonly forecast: KeptEstimate | null
  /** Total size of the results when the part finished; null if any of them wasn't on this computer. */
  readonly resultBytes: number | null
  readonly facts: z.infer<typeof PartFacts> & {
    readonly service: ConnectionKind | null
    readonly baseUrl: string | null
    readonly jobId: string | null
  }
}

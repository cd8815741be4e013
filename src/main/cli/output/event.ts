/** Defines all events that a command can report. They are rendered as JSON lines or as text. */
import type { Foreseen } from '../../../shared/loss/foreseen.ts'
import type { Failure } from '../../../shared/failure/failure.ts'
import type { DriveStatus, FileError, Health, ServiceJob, Presets } from '../../../shared/api/resources.ts'
import type { DraftProblem } from '../../../shared/model/draft.ts'
import type { DoneFile } from '../../../shared/model/done-files.ts'
import type { Totals } from '../../../shared/model/saved.ts'
import type { DriveSetup } from '../../../shared/model/built-in-service.ts'
import type { Estimate } from '../../../shared/model/estimate.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { QuietReason } from '../../../shared/model/quiet.ts'
import type { RejectedItem } from '../../../shared/model/media-item.ts'
import type { NoteCount } from '../../../shared/result-notes.ts'
import type {
  Candidate,
  Outcome,
  PartDetails,
  ResultFile,
  SubmissionState,
  WaitingReason,
} from '../../../shared/model/job.ts'
import type { ReplacedCounts, Replacement, Restored, VaultTotals } from '../../../shared/model/replacement.ts'
import type { CheckResult } from '../../conformance/index.ts'
import type { HookTried } from '../../core/index.ts'
import type { WatchTrouble } from '../../watch/index.ts'
import type { Uncertainty } from '../../outbox/index.ts'
import type { SchemaField } from '../../../shared/preset/schema-fields.ts'
import type { ServiceError } from '../../../shared/service-error.ts'

/** What events about a submission have in common: its ID, with the paths of its files or the ID of its Drive folder. */
export type SubmissionFields = {
  readonly id: RecordId
  readonly inputs: { readonly files: readonly string[]; readonly driveInputFolder?: string }
  /** Missing if the submission is a whole job. */
  readonly group?: PartRef
}

/** Identifies one part of a job with several presets, folders, or requests. */
export type PartRef = {
  /** The job's ID, which is also that of its first part. */
  readonly id: RecordId
  /** 1-based. */
  readonly part: number
  readonly parts: number
  readonly preset: string | null
}

/** Describes one field of a preset. */
export type DescribedField = Pick<SchemaField, 'path' | 'choices' | 'min' | 'max'> & {
  readonly types: readonly string[]
  /** null if the field has no default. */
  readonly default: unknown
}

export type CliEvent =
  | { readonly event: 'service'; readonly kind: 'builtIn'; readonly baseUrl: string }
  /** A file that can't be used although it was named or found in a named folder. */
  | { readonly event: 'notTaken'; readonly item: RejectedItem }
  /** Files that aren't submitted because jobs have processed them or will, or made them. `left` is the number of other files. */
  | { readonly event: 'skipped'; readonly files: readonly DoneFile[]; readonly left: number }
  /** Everything that Mediatray has measured. */
  | ({ readonly event: 'stats' } & Totals)
  /** Why nothing was submitted. */
  | { readonly event: 'notPossible'; readonly problem: DraftProblem }
  | ({
      readonly event: 'accepted'
      readonly jobId: string
      readonly skipped: readonly FileError[]
    } & SubmissionFields)
  | ({
      readonly event: 'refused'
      readonly why: Extract<SubmissionState, { kind: 'refused' }>['why']
      readonly message: string
      readonly failure?: Failure | undefined
      readonly skipped: readonly FileError[]
    } & SubmissionFields)
  /** A submission that the service may have received. Only the user can decide how to proceed. */
  | ({ readonly event: 'unknown'; readonly lookAlikes: readonly Candidate[] } & SubmissionFields)
  /**
   * A submission that the service may have received. Mediatray checks the job list for up to `remainingMs`. The user may decide
   * earlier.
   */
  | ({
      readonly event: 'checking'
      readonly cause: Uncertainty['cause']
      readonly remainingMs: number
    } & SubmissionFields)
  /** A submission that stays in the outbox. This command no longer waits for it. */
  | ({
      readonly event: 'kept'
      readonly because: WaitingReason
      readonly message?: string
    } & SubmissionFields)
  | ({
      readonly event: 'finished'
      /** null if it was canceled before it was sent. */
      readonly jobId: string | null
      readonly outcome: Outcome
      readonly files: number | null
      readonly variations: number
      readonly results: readonly Omit<ResultFile, 'index'>[]
      readonly problems: readonly FileError[]
      readonly notes: readonly NoteCount[]
    } & SubmissionFields)
  /** All parts of a job have ended, or this command no longer waits for the others. `outcome` is null in that case. */
  | {
      readonly event: 'group'
      readonly id: RecordId
      readonly outcome: Outcome | null
      readonly parts: readonly (PartRef & {
        readonly submission: RecordId
        readonly state: Outcome['kind'] | 'accepted' | 'waiting' | 'refused' | 'unknown' | 'removed'
      })[]
    }
  /** A submission in the outbox. `target` is the only service that may receive it. */
  | ({
      readonly event: 'entry'
      readonly state: 'waiting' | 'sending' | 'unknown' | 'refused'
      readonly target: string | null
      readonly message: string | null
      readonly failure?: Failure | undefined
      readonly lookAlikes: readonly Candidate[]
    } & SubmissionFields)
  | { readonly event: 'resolved'; readonly id: RecordId; readonly how: 'adopted' | 'waits' | 'removed' }
  | {
      readonly event: 'record'
      readonly record: PartDetails
      /** The submission's state in the outbox; null if it isn't there. */
      readonly outbox: 'waiting' | 'sending' | 'unknown' | 'refused' | 'accepted' | null
      /** The problems of all parts, each once, with the preset that had it. */
      readonly problems: readonly (FileError & { readonly preset: string | null })[]
      /** The results of all parts, each once. */
      readonly results: readonly ResultFile[]
    }
  | { readonly event: 'found'; readonly shown: number; readonly total: number }
  | { readonly event: 'job'; readonly job: ServiceJob; readonly outcome: Outcome | null }
  | {
      readonly event: 'queue'
      readonly queueLength: number
      readonly processing: boolean
      readonly listed: number
    }
  | { readonly event: 'presets'; readonly presets: Presets }
  /** A preset document with the exact text of its file. */
  | { readonly event: 'preset'; readonly name: string; readonly text: string }
  | { readonly event: 'presetFields'; readonly fields: readonly DescribedField[] }
  /**
   * The estimate is null if the preset doesn't apply to any of the files. With several presets, there is one for each, and finally
   * one without a `preset`, for all together.
   */
  | {
      readonly event: 'forecast'
      readonly forecast: Estimate | null
      readonly preset?: string
      /** Whether a file has several results, whose total isn't a part of its size. */
      readonly isMultiplied?: true
      /** Missing if nothing is known to be lost. */
      readonly wouldLose?: Foreseen
    }
  /** What the results of a submission will lose, as far as the files' headers tell. `preset` is one of several. */
  | { readonly event: 'foreseen'; readonly wouldLose: Foreseen; readonly preset?: string }
  | {
      readonly event: 'status'
      readonly baseUrl: string
      readonly health: Health
      /** Whether the API specification describes this version of the service. */
      readonly knownVersion: boolean
      readonly drive: DriveStatus
    }
  /** What a check of a service found. */
  | ({ readonly event: 'check' } & CheckResult)
  /** All checks of a service. `leftJobs` are jobs of the checks whose cancellation failed. */
  | {
      readonly event: 'checked'
      readonly passed: number
      readonly failed: number
      readonly notChecked: number
      readonly leftJobs: readonly string[]
    }
  | ({ readonly event: 'driveSetup' } & DriveSetup)
  | { readonly event: 'driveChosen'; readonly name: string | null }
  | {
      readonly event: 'driveFolders'
      /** ID of the listed folder. */
      readonly id: string
      readonly folders: readonly { readonly name: string; readonly id: string }[]
    }
  | {
      readonly event: 'driveStatus'
      readonly chosen: string | null
      readonly connected: boolean
      readonly reason: string | null
    }
  | {
      readonly event: 'cancelling'
      readonly jobId: string
      readonly status: ServiceJob['status'] | null
      readonly group?: PartRef
    }
  | {
      readonly event: 'downloaded'
      readonly jobId: string
      readonly index: number
      readonly path: string
      readonly bytes: number
    }
  | { readonly event: 'cleared'; readonly cleared: number }
  /** What happened to the originals of a job that replaces them. `id` is the whole job's. */
  | {
      readonly event: 'originals'
      readonly id: RecordId
      readonly counts: ReplacedCounts
      readonly files: readonly Replacement[]
    }
  /**
   * An original that was restored, or replaced again. `id` is null if the record was deleted, `failure` if it succeeded.
   */
  | {
      readonly event: 'restored' | 'replacedAgain'
      readonly id: RecordId | null
      readonly file: Restored
      readonly failure: Failure | null
    }
  /** `keepDays`: days after which originals are deleted; null keeps them. */
  | ({ readonly event: 'vault'; readonly keepDays: number | null } & VaultTotals)
  /**
   * `away`: number of vaults that kept their files, because they weren't found. `left`: number of files that stayed, there, because they
   * couldn't be deleted, or because they couldn't be restored (`unrestored`: the paths of these originals).
   */
  | {
      readonly event: 'vaultEmptied'
      readonly files: number
      readonly bytes: number
      readonly away: number
      readonly left: number
      readonly unrestored: readonly string[]
    }
  | { readonly event: 'watching'; readonly folders: readonly string[] }
  | ({ readonly event: 'watchTrouble'; readonly folder: string } & WatchTroubleFacts)
  /** Why `watch` can't process files now, and then that it can again. */
  | { readonly event: 'blocked'; readonly reason: WaitReason; readonly message: string }
  | { readonly event: 'unblocked' }
  | ({ readonly event: 'hook' } & HookTried)
  | { readonly event: 'error'; readonly about?: string; readonly error: ServiceError }
  /** Explains why nothing has been reported for a while. */
  | { readonly event: 'waiting'; readonly reason: WaitReason; readonly message: string }
  | { readonly event: 'notice'; readonly message: string }

/** Why files in a watched folder aren't processed. */
type WatchTroubleFacts = {
  /**
   * `open`: a program has files open for writing. `retried`: files failed for a reason that may pass. `links`: links lead out of the
   * folder. `empty`: files have stayed empty. `ignored`: files are hidden, or have names of unfinished files.
   */
  readonly kind:
    | Exclude<WatchTrouble['kind'], 'question'>
    | 'repeated'
    | 'open'
    | 'retried'
    | 'links'
    | 'special'
    | 'ignored'
    | 'empty'
  readonly files?: number
  readonly preset?: string
  readonly problems?: readonly DraftProblem[]
  /** What can't be read or processed: the first ones. */
  readonly paths?: readonly string[]
  readonly error?: string
}

/** An event as text. */
export type Words = { readonly to: 'stdout' | 'stderr'; readonly lines: readonly string[] }

export const notice = (message: string): CliEvent => ({ event: 'notice', message })

/** The reason for a wait; docs/cli.md lists the values. */
export type WaitReason =
  | 'service'
  | 'notAnswered'
  | 'queueFull'
  | 'sending'
  | 'otherProcess'
  | 'checking'
  | 'working'
  | 'unreadable'
  | 'notWritten'
  | 'keyRefused'
  | 'wrongVersion'
  | 'files'
  | 'hook'
  | 'key'
  | 'ending'
  | QuietReason

/** The progress of one job, submission or transfer. */
export type Step = {
  /** The job, the submission that is being sent, or the file that is being transferred. */
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
    | { readonly kind: 'submission'; readonly id: RecordId }
    /** All parts of a job together. */
    | { readonly kind: 'group'; readonly group: RecordId }
    | { readonly kind: 'transfer'; readonly file: string }
  readonly label: string
  /** Progress from 0 to 1; null if no reliable value is known. */
  readonly share: number | null
  /** Remaining time in ms; null if it could only be guessed. */
  readonly remaining: number | null
  readonly detail: string
}

export interface Report {
  /** Whether someone may read the events while the command runs: a terminal, or a program that reads JSON. */
  readonly isLive: boolean
  say(event: CliEvent): void
  /** Reports submissions or files with the same outcome: one event each in JSON, but a summary in text if there are many. */
  sayEach(events: readonly ListedEvent[]): void
  /** Begins the report about a command's submissions. @param count how many there are */
  /** @param canRepeat whether failed files still exist afterward */
  outcomes(count: number, canRepeat?: boolean): OutcomeReport
  /**
   * Shows the steps in progress in place of the previous ones. An empty list clears the display.
   * @returns whether the user can see the steps
   */
  progress(steps: readonly Step[]): boolean
}

/** Reports what happens to the submissions of a command. */
export interface OutcomeReport {
  /** @returns whether the user can see it now: text sums up many submissions at the end */
  say(event: OutcomeEvent): boolean
  /** Ends the report with what Mediatray keeps. */
  end(): void
}

export type EventOf<Name extends CliEvent['event']> = Extract<CliEvent, { readonly event: Name }>

export type OutcomeEvent = EventOf<'accepted' | 'finished' | 'refused' | 'unknown' | 'group'>
/** Events that are summarized if there are many of them. */
export type ListedEvent = EventOf<'kept' | 'notTaken'>

/** Everything a command can say, once; written as a JSON line, or as words. */
import type { DriveStatus, FileError, Health, Job, Presets } from '../../../shared/api/resources.ts'
import type { DraftProblem } from '../../../shared/model/draft.ts'
import type { DriveSetup } from '../../../shared/model/built-in-service.ts'
import type { Forecast } from '../../../shared/model/forecast.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { RejectedItem } from '../../../shared/model/media-item.ts'
import type { Outcome } from '../../../shared/model/outcome.ts'
import type { Candidate, RecordDetails, SubmissionState, WaitingReason } from '../../../shared/model/work.ts'
import type { SchemaField } from '../../../shared/preset/schema-fields.ts'
import type { ServiceError } from '../../../shared/service-error.ts'

/** A submission, as far as it can be named: paths, or the id of a Drive folder. */
export type Submission = {
  readonly id: RecordId
  readonly inputs: { readonly files: readonly string[]; readonly driveInputFolder?: string }
}

/** What may stand in one place of a preset. */
export type DescribedField = Pick<SchemaField, 'path' | 'choices' | 'min' | 'max'> & {
  readonly types: readonly string[]
  /** null: nothing holds where nothing is said. */
  readonly default: unknown
}

export type CliEvent =
  | { readonly event: 'service'; readonly kind: 'builtIn'; readonly baseUrl: string }
  /** A file that was named, or found in a folder that was, and can't be used. */
  | { readonly event: 'notTaken'; readonly item: RejectedItem }
  /** Why nothing was submitted. */
  | { readonly event: 'notPossible'; readonly problem: DraftProblem }
  | ({
      readonly event: 'accepted'
      readonly jobId: string
      readonly skipped: readonly FileError[]
    } & Submission)
  | ({
      readonly event: 'refused'
      readonly why: Extract<SubmissionState, { kind: 'refused' }>['why']
      readonly message: string
      readonly skipped: readonly FileError[]
    } & Submission)
  /** It may have arrived, and only the person can tell. */
  | ({ readonly event: 'unknown'; readonly lookAlikes: readonly Candidate[] } & Submission)
  /** It is kept in the outbox, and this command will not wait for it any longer. */
  | ({ readonly event: 'kept'; readonly because: WaitingReason } & Submission)
  | {
      readonly event: 'finished'
      readonly id: RecordId
      readonly jobId: string
      readonly outcome: Outcome
      readonly files: number | null
      readonly results: readonly { readonly file: string; readonly outputPath: string }[]
      readonly problems: readonly FileError[]
    }
  /** What lies in the outbox; `target` is the one service that it is meant for. */
  | ({
      readonly event: 'entry'
      readonly state: 'waiting' | 'sending' | 'unknown' | 'refused'
      readonly target: string | null
      readonly message: string | null
      readonly lookAlikes: readonly Candidate[]
    } & Submission)
  | { readonly event: 'resolved'; readonly id: RecordId; readonly how: 'adopted' | 'waits' | 'removed' }
  | { readonly event: 'record'; readonly record: RecordDetails }
  | { readonly event: 'found'; readonly shown: number; readonly total: number }
  | { readonly event: 'job'; readonly job: Job; readonly outcome: Outcome | null }
  | {
      readonly event: 'queue'
      readonly queueLength: number
      readonly processing: boolean
      readonly listed: number
    }
  | { readonly event: 'presets'; readonly presets: Presets }
  /** A preset's document as it stands in its file. */
  | { readonly event: 'preset'; readonly name: string; readonly text: string }
  | { readonly event: 'presetFields'; readonly fields: readonly DescribedField[] }
  /** null: the preset is for none of the files. */
  | { readonly event: 'forecast'; readonly forecast: Forecast | null }
  | {
      readonly event: 'status'
      readonly baseUrl: string
      readonly health: Health
      /** Whether it is the one release that the API is described for. */
      readonly knownVersion: boolean
      readonly drive: DriveStatus
    }
  | ({ readonly event: 'driveSetup' } & DriveSetup)
  | { readonly event: 'driveChosen'; readonly name: string | null }
  | {
      readonly event: 'driveStatus'
      readonly chosen: string | null
      readonly connected: boolean
      readonly reason: string | null
    }
  | { readonly event: 'cancelling'; readonly jobId: string; readonly status: Job['status'] | null }
  | {
      readonly event: 'downloaded'
      readonly jobId: string
      readonly index: number
      readonly path: string
      readonly bytes: number
    }
  | { readonly event: 'cleared'; readonly cleared: number }
  | { readonly event: 'error'; readonly about?: string; readonly error: ServiceError }
  | { readonly event: 'notice'; readonly message: string }

/** How far something is that is still under way. */
export type Step = {
  /** The job, the submission on its way to becoming one, or the file that is being moved. */
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
    | { readonly kind: 'submission'; readonly id: RecordId }
    | { readonly kind: 'transfer'; readonly file: string }
  readonly label: string
  /** 0..1; null where nothing believable is known. */
  readonly share: number | null
  /** In ms; null where it would be a guess. */
  readonly remaining: number | null
  readonly detail: string
}

export interface Report {
  say(event: CliEvent): void
  /** The things under way, all of them; an empty list takes them off the screen. */
  progress(steps: readonly Step[]): void
}

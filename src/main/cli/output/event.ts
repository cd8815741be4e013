/** Everything a command can say, once; written as a JSON line, or as words. */
import type {
  AcceptedJob,
  DriveStatus,
  FileError,
  Health,
  Job,
  Presets,
} from '../../../shared/api/resources.ts'
import type { Outcome } from '../../../shared/model/outcome.ts'
import type { ServiceError } from '../../../shared/service-error.ts'

/** What was submitted, as far as it can be named: paths, or the id of a Drive folder. */
export type Inputs = { readonly files: readonly string[]; readonly driveInputFolder?: string }

export type CliEvent =
  | { readonly event: 'service'; readonly kind: 'builtIn'; readonly baseUrl: string }
  | { readonly event: 'uploaded'; readonly file: string; readonly filePath: string; readonly size: number }
  | { readonly event: 'accepted'; readonly inputs: Inputs; readonly job: AcceptedJob }
  | { readonly event: 'refused'; readonly inputs: Inputs; readonly error: ServiceError }
  | {
      readonly event: 'finished'
      readonly jobId: string
      readonly outcome: Outcome
      readonly results: readonly { readonly file: string; readonly outputPath: string }[]
      readonly problems: readonly FileError[]
    }
  | { readonly event: 'job'; readonly job: Job; readonly outcome: Outcome | null }
  | {
      readonly event: 'queue'
      readonly queueLength: number
      readonly processing: boolean
      readonly listed: number
    }
  | { readonly event: 'presets'; readonly presets: Presets }
  | {
      readonly event: 'status'
      readonly baseUrl: string
      readonly health: Health
      /** Whether it is the one release that the API is described for. */
      readonly knownVersion: boolean
      readonly drive: DriveStatus
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
  /** The job, or the file that is being moved. */
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
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

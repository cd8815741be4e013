import type { FileError, ServiceJob } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome, PartAt, PartTitle } from '../../shared/model/job.ts'
import type { SentRequest } from '../../shared/model/job-fit.ts'
import type { SentName } from '../aliases/index.ts'
import { NO_RATE, type ObservedRate } from './rate-estimator.ts'

/** Phase of a job's life cycle. A job moves through the phases from left to right only. */
export type JobPhase = 'queued' | 'processing' | 'uploading' | 'ended'

export const PHASE_ORDER: readonly JobPhase[] = ['queued', 'processing', 'uploading', 'ended']

export type JobEvent =
  | {
      readonly kind: 'moved'
      readonly id: RecordId
      readonly jobId: string
      readonly title: PartTitle
      /** As last read; null if never read. */
      readonly job: ServiceJob | null
      /** null if the job was unknown or had not been read before. */
      readonly from: JobPhase | null
      readonly to: JobPhase
      /** Set when the job has finished, exactly once per job. */
      readonly outcome: Outcome | null
      /** Milliseconds since 1970 on this computer's clock; null before processing. */
      readonly startedAt: number | null
      /** Milliseconds since 1970 on this computer's clock; null until the job has finished. */
      readonly endedAt: number | null
      /** Inputs that no result or error accounts for; empty until the job has finished. */
      readonly unaccounted: readonly FileError[]
    }
  /** A job attributed to another client that turned out to be ours. */
  | { readonly kind: 'adopted'; readonly id: RecordId; readonly foreignId: RecordId; readonly jobId: string }

/** A job that the service has accepted and that hasn't ended as far as we know. */
export type TrackedJob = {
  readonly title: PartTitle
  readonly jobId: string
  /** Inputs that the service refused when it accepted the job. They are part of the job's outcome. */
  readonly skipped: readonly FileError[]
  /** Time of acceptance on this computer's clock, in ms since 1970; null if unknown. Calibrates the service's clock. */
  readonly acceptedAt: number | null
  /** Whether the job was accepted before this tracker began. The service may have restarted since. */
  readonly isEarlier: boolean
  /** Local paths that must all be accounted for. Empty for a drive folder. */
  readonly inputs: readonly string[]
  /** Whether the results exist only on the service's computer, where inputs may have other names. */
  readonly remote: boolean
  /** Inputs that the service received under another name. */
  readonly names: readonly SentName[]
  /**
   * `createdAt` as the service wrote it; null until the job has been read. A job with the same ID but another creation time is a
   * different job.
   */
  readonly jobCreatedAt: string | null
  /** null until the first poll. */
  readonly phase: JobPhase | null
  readonly cancelling: boolean
  readonly last: ServiceJob | null
  /** Highest progress shown so far (0..1). Another service's progress is never displayed as less. */
  readonly peak: number
  readonly rate: ObservedRate
  /** Monotonic ms, because the wall clock may be changed while a job runs. */
  readonly startedAt: number | null
  readonly shown: PartAt<'service'>
}

/** A job that this tracker hasn't read yet, with the values that are already known. */
export type NewlyTracked = Pick<TrackedJob, 'title' | 'jobId'> & Partial<TrackedJob>

/**
 * Returns what the service was asked to do. Whether the inputs of a job with drive output were uploaded isn't stored, so they count as
 * renamed.
 */
export const sentRequest = ({
  title: { preset, variations, driveInput, output },
  inputs,
  remote,
}: Pick<TrackedJob, 'title' | 'inputs' | 'remote'>): SentRequest => ({
  inputs,
  preset,
  variations,
  driveInput,
  output,
  renamed: remote || output?.kind === 'drive',
})

export const UNKNOWN_PROGRESS: PartAt<'service'>['progress'] = {
  share: null,
  phase: null,
  currentFile: null,
  totalFiles: null,
  completedFiles: null,
  fileName: null,
  timeLeft: null,
}

/** Returns the state of a job before its first poll. */
export const newlyTracked = (known: NewlyTracked): TrackedJob => ({
  skipped: [],
  acceptedAt: null,
  isEarlier: false,
  inputs: [],
  remote: false,
  names: [],
  jobCreatedAt: null,
  phase: null,
  cancelling: false,
  last: null,
  peak: 0,
  rate: NO_RATE,
  startedAt: null,
  shown: {
    ...known.title,
    at: 'service',
    jobId: known.jobId,
    stage: { kind: 'queued', position: 1 },
    progress: UNKNOWN_PROGRESS,
    startedAt: null,
    doneFiles: [],
    problems: [],
  },
  ...known,
})

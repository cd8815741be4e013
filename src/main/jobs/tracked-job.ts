import type { FileError, ServiceJob } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { JobProgress, Outcome, PartAt, PartTitle } from '../../shared/model/job.ts'
import type { SentRequest } from '../../shared/model/job-fit.ts'
import type { SentName } from '../aliases/index.ts'
import { NO_RATE, type ObservedRate } from './rate-estimator.ts'

/** Phase of a job's life cycle. A job moves through the phases from left to right only. */
export type JobPhase = 'queued' | 'processing' | 'uploading' | 'ended'

export const PHASE_ORDER: readonly JobPhase[] = ['queued', 'processing', 'uploading', 'ended']

/** One of our jobs that the service has accepted and that hasn't ended as far as we know. */
export type FollowedPart = {
  readonly title: PartTitle
  readonly jobId: string
  /** Inputs that the service refused when it accepted the job. They are part of the job's outcome. */
  readonly skipped?: readonly FileError[]
  /** As returned on acceptance. Shown until the queue has been read. */
  readonly position?: number
  /** Time of acceptance on our clock, in ms since 1970. Calibrates the service's clock. */
  readonly acceptedAt?: number
  /**
   * `createdAt` as the service wrote it, if the job has been read before. A job with the same ID but another creation time is a
   * different job.
   */
  readonly createdAt?: string
  /** Local paths that must all be accounted for. Absent for a drive folder. */
  readonly inputs?: readonly string[]
  /** Whether the results exist only on the service's computer, where inputs may have other names. */
  readonly remote?: boolean
  /** Inputs that the service received under another name. */
  readonly names?: readonly SentName[]
}

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
      /** Milliseconds since 1970 on our clock; null before processing. */
      readonly startedAt: number | null
      /** Milliseconds since 1970 on our clock; null until the job has finished. */
      readonly endedAt: number | null
      /** Inputs that no result or error accounts for; empty until the job has finished. */
      readonly unaccounted: readonly FileError[]
    }
  /** A job attributed to another client that turned out to be ours. */
  | { readonly kind: 'adopted'; readonly id: RecordId; readonly foreignId: RecordId; readonly jobId: string }

export type TrackedJob = {
  readonly jobId: string
  readonly title: PartTitle
  readonly skipped: readonly FileError[]
  readonly acceptedAt: number | null
  readonly inputs: readonly string[]
  readonly remote: boolean
  readonly names: readonly SentName[]
  /** `createdAt` as the service wrote it. Distinguishes jobs with a reused ID. */
  readonly createdText: string | null
  /** null until the first poll. */
  readonly phase: JobPhase | null
  readonly cancelling: boolean
  readonly last: ServiceJob | null
  /** Highest progress shown so far (0..1). The displayed progress never decreases. */
  readonly peak: number
  readonly rate: ObservedRate
  /** Monotonic ms, because the wall clock may be changed while a job runs. */
  readonly startedAt: number | null
  readonly shown: PartAt<'service'>
}

/** Returns what the service was asked to do. Whether the inputs of a drive job were uploaded isn't stored. */
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

export const UNKNOWN_PROGRESS: JobProgress = {
  share: null,
  phase: null,
  currentFile: null,
  totalFiles: null,
  completedFiles: null,
  fileName: null,
  timeLeft: null,
}

/** Returns the state of a job before its first poll. */
export function newlyTracked({
  title,
  jobId,
  skipped = [],
  position = 1,
  acceptedAt,
  createdAt,
  inputs = [],
  remote = false,
  names = [],
}: FollowedPart): TrackedJob {
  return {
    jobId,
    title,
    skipped,
    acceptedAt: acceptedAt ?? null,
    inputs,
    remote,
    names,
    createdText: createdAt ?? null,
    phase: null,
    cancelling: false,
    last: null,
    peak: 0,
    rate: NO_RATE,
    startedAt: null,
    shown: {
      ...title,
      at: 'service',
      jobId,
      stage: { kind: 'queued', position: Math.max(1, position) },
      progress: UNKNOWN_PROGRESS,
      startedAt: null,
      doneFiles: [],
      problems: [],
    },
  }
}

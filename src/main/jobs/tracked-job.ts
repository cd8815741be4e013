import type { FileError, Job } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { ActiveJob, JobProgress, WorkTitle } from '../../shared/model/work.ts'
import { NO_RATE, type ObservedRate } from './rate-estimator.ts'

/** Where a job is in its life. It only ever moves to the right. */
export type JobPhase = 'queued' | 'processing' | 'uploading' | 'over'

export const PHASE_ORDER: readonly JobPhase[] = ['queued', 'processing', 'uploading', 'over']

/** A job of ours that the service has accepted and that is not known to be over. */
export type Followed = {
  readonly title: WorkTitle
  readonly jobId: string
  /** Inputs that the service refused when it accepted the job; they are part of its outcome. */
  readonly skipped?: readonly FileError[]
  /** As answered by the service; shown until the queue is read. */
  readonly position?: number
  /** ms since 1970. A job with this id that was created at another time is another one. */
  readonly acceptedAt?: number
  /** `createdAt` as the service wrote it, where the job was read before. */
  readonly createdAt?: string
  /**
   * Where the acceptance was inferred from the job list: the inputs, of which the service may have left some out without
   * anybody hearing of it.
   */
  readonly unconfirmed?: readonly string[]
}

export type JobEvent =
  | {
      readonly kind: 'moved'
      readonly id: RecordId
      readonly jobId: string
      readonly title: WorkTitle
      /** As last read; null when it was never read. */
      readonly job: Job | null
      /** null when it was not known, or not read, before. */
      readonly from: JobPhase | null
      readonly to: JobPhase
      /** Not null exactly when it is over: once for every job. */
      readonly outcome: Outcome | null
      /** Once it is over: inputs that it names nowhere, though nobody has heard that they were left out. */
      readonly unnamed: readonly FileError[]
    }
  /** What had looked like another client's job turned out to be ours. */
  | { readonly kind: 'adopted'; readonly id: RecordId; readonly foreignId: RecordId; readonly jobId: string }

export type TrackedJob = {
  readonly jobId: string
  readonly title: WorkTitle
  readonly skipped: readonly FileError[]
  readonly acceptedAt: number | null
  readonly unconfirmed: readonly string[]
  /** `createdAt` as the service writes it: with the id, it tells a job from another one with a reused id. */
  readonly createdText: string | null
  /** null until it is read for the first time. */
  readonly phase: JobPhase | null
  readonly cancelling: boolean
  readonly last: Job | null
  /** The highest share ever shown; a lower one is never shown after it. */
  readonly peak: number
  readonly rate: ObservedRate
  /** Monotonic ms; the wall clock may be set while a job runs. */
  readonly startedAt: number | null
  readonly shown: ActiveJob
}

export const UNKNOWN_PROGRESS: JobProgress = {
  share: null,
  phase: null,
  currentFile: null,
  totalFiles: null,
  completedFiles: null,
  fileName: null,
  timeLeft: null,
}

/** A job before it was read for the first time. */
export function newlyTracked({
  title,
  jobId,
  skipped = [],
  position = 1,
  acceptedAt,
  createdAt,
  unconfirmed = [],
}: Followed): TrackedJob {
  return {
    jobId,
    title,
    skipped,
    acceptedAt: acceptedAt ?? null,
    unconfirmed,
    createdText: createdAt ?? null,
    phase: null,
    cancelling: false,
    last: null,
    peak: 0,
    rate: NO_RATE,
    startedAt: null,
    shown: {
      ...title,
      jobId,
      stage: { kind: 'queued', position: Math.max(1, position) },
      progress: UNKNOWN_PROGRESS,
      startedAt: null,
      doneFiles: [],
    },
  }
}

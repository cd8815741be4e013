/** The state of one job and its transitions (section 3). */
import type { Failure } from '../../shared/failure/failure.ts'
import { dirname, join } from 'node:path'
import type { BatchOutput, FileError, JobStatus } from '../../shared/api/resources.ts'
import { fileError } from '../../shared/api/reported.ts'
import type { ProcessedFile } from '../processing/processing.ts'
import type { Delivered, Delivery } from './delivery.ts'
import type { JobInput, JobPlan, Operation } from './job-plan.ts'
import { createJobProgress } from './job-progress.ts'

type JobState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'processing'; readonly startedAt: number }
  /** Canceled, but files or the upload that were running haven't stopped yet. Readers see it as processing. */
  | { readonly kind: 'stopping'; readonly startedAt: number }
  | {
      readonly kind: 'ended'
      readonly status: 'completed' | 'failed' | 'cancelled'
      /** null if it was canceled before it started. */
      readonly startedAt: number | null
      readonly at: number
    }

/** The upload has its own state, because it begins while the job is processing and may continue after its end. */
type UploadState =
  | { readonly kind: 'none' }
  | { readonly kind: 'uploading'; readonly delivery: Delivery }
  /** `at` is null if the upload was abandoned before it began. */
  | { readonly kind: 'uploaded'; readonly outcome: Delivered; readonly at: number | null }

const INTERRUPTED = new Error('The service is shutting down.')

export type JobRecord = ReturnType<typeof createJobRecord>

/**
 * Creates the record of a queued job.
 * @param now ms since 1970
 * @param onChange called when anything visible to readers has changed
 */
export function createJobRecord(jobId: string, plan: JobPlan, now: () => number, onChange: () => void) {
  const abort = new AbortController()
  const progress = createJobProgress(plan.batchCount, onChange)
  const outcome = createOutcome(onChange)
  let state: JobState = { kind: 'queued' }
  let upload: UploadState = { kind: 'none' }
  let inputs: readonly JobInput[] | undefined
  let failure: FileError | undefined
  const isInterrupted = () => abort.signal.reason === INTERRUPTED

  function end(status: Extract<JobState, { kind: 'ended' }>['status']): void {
    const startedAt = 'startedAt' in state ? state.startedAt : null
    state = { kind: 'ended', status, startedAt, at: now() }
    onChange()
  }

  function inputsFound(found: readonly JobInput[]): void {
    inputs = found
    progress.begin(found)
  }

  if (plan.source.kind === 'files') inputsFound(plan.source.inputs)

  return {
    jobId,
    plan,
    createdAt: now(),
    progress,
    /** Aborted when the job is canceled or interrupted. */
    signal: abort.signal,
    ...outcome.view,
    /** Approximate size of all results and errors as JSON, including upload errors. */
    get outcomeBytes() {
      return outcome.bytes()
    },
    get state() {
      return state
    },
    get upload() {
      return upload
    },
    /** undefined until the inputs have been discovered. */
    get inputs() {
      return inputs
    },
    /** Why the whole job failed. */
    get failure() {
      return failure
    },
    start(): void {
      state = { kind: 'processing', startedAt: now() }
      onChange()
    },
    inputsFound,
    operationSucceeded({ index, input }: Operation, made: ProcessedFile): void {
      outcome.succeeded(index, resultOf(input, made))
      if (upload.kind === 'uploading') upload.delivery.add(index, made.outputPath)
    },
    uploadStarted(delivery: Delivery): void {
      upload = { kind: 'uploading', delivery }
      onChange()
    },
    uploadProgressed: onChange,
    /** @param delivered undefined if the job failed and doesn't upload anything */
    uploadEnded(delivered: Delivered | undefined): void {
      if (isInterrupted()) return
      upload = delivered ? { kind: 'uploaded', outcome: delivered, at: now() } : { kind: 'none' }
      if (delivered && 'uploadResult' in delivered) outcome.addBytes(delivered.uploadResult.errors)
      onChange()
    },
    /**
     * Ends the job after its last operation: as failed if it is a single job without a result, otherwise as completed. Has no effect on a
     * job that was canceled or interrupted.
     */
    complete(): void {
      if (state.kind !== 'processing' || isInterrupted()) return
      const { results, errors } = outcome.view
      const hasFailed = results.size === 0 && errors.size > 0
      end(plan.type === 'single' && hasFailed ? 'failed' : 'completed')
    },
    /** Ends the job as failed. Has no effect on a job that was canceled or interrupted. */
    fail(reason: FileError, delivered?: Delivered): void {
      if (state.kind !== 'processing' || isInterrupted()) return
      failure = reason
      if (delivered) upload = { kind: 'uploaded', outcome: delivered, at: null }
      end('failed')
    },
    /**
     * Cancels the job and stops everything that is running. A job that hasn't started ends as canceled immediately. A running job ends when
     * everything has stopped, so its results are final once readers see it as canceled.
     */
    cancel(): void {
      if (isInterrupted()) return
      if (state.kind === 'queued') end('cancelled')
      else if (state.kind === 'processing') {
        state = { kind: 'stopping', startedAt: state.startedAt }
        onChange()
      }
      abort.abort()
    },
    /** Ends a canceled job, after everything that was running has stopped. Has no effect on other jobs. */
    stopped(): void {
      if (state.kind === 'stopping') end('cancelled')
    },
    /**
     * Stops everything that is running, including the upload, because the service ends. Afterward, the job doesn't change: the end of a
     * process isn't an outcome, so the job remains queued, processing or uploading.
     */
    interrupt: () => abort.abort(INTERRUPTED),
  }
}

/** The results and problems of a job so far. */
function createOutcome(onChange: () => void) {
  const results = new Map<number, BatchOutput>()
  const errors = new Map<number, FileError>()
  const notInputs: FileError[] = []
  let bytes = 0

  function addError(index: number, error: FileError): void {
    errors.set(index, error)
    bytes += bytesOf([error])
  }

  return {
    bytes: () => bytes,
    addBytes: (entries: readonly object[]) => void (bytes += bytesOf(entries)),
    succeeded(index: number, result: BatchOutput) {
      results.set(index, result)
      bytes += bytesOf([result])
      onChange()
    },
    view: {
      /** Indexed by operation. */
      results: results as ReadonlyMap<number, BatchOutput>,
      errors: errors as ReadonlyMap<number, FileError>,
      /** Contents of the drive folder that aren't inputs. */
      notInputs: notInputs as readonly FileError[],
      notInputsFound(found: readonly FileError[]) {
        for (const error of found) notInputs.push(error)
        bytes += bytesOf(found)
        onChange()
      },
      operationFailed({ index, input }: Operation, failed: Failure) {
        addError(index, fileError(input.path, failed))
        onChange()
      },
      /** Replaces the results so far with failures, because they are no longer accessible. */
      resultsLost(failed: Failure) {
        for (const [index, { file }] of results) addError(index, fileError(file, failed))
        results.clear()
        onChange()
      },
      /** Records the name under which a result was stored in the drive. */
      uploadNamed(index: number, name: string) {
        const result = results.get(index)
        if (result) results.set(index, { ...result, outputPath: join(dirname(result.outputPath), name) })
        onChange()
      },
    },
  }
}

export function statusOf(state: JobState): JobStatus {
  if (state.kind === 'ended') return state.status
  return state.kind === 'stopping' ? 'processing' : state.kind
}

const resultOf = (
  { path: file }: JobInput,
  { outputPath, losses, notes, quality }: ProcessedFile,
): BatchOutput => ({
  file,
  outputPath,
  ...(losses.length === 0 ? {} : { losses: [...losses] }),
  ...(notes.length === 0 ? {} : { notes: [...notes] }),
  ...(quality === undefined ? {} : { quality }),
})

/** Returns the approximate size of entries, including names and quotes. Names may use up to three bytes per character. */
function bytesOf(entries: readonly object[]): number {
  let bytes = 0
  for (const entry of entries) {
    bytes += 40
    for (const value of Object.values(entry))
      bytes += 3 * (typeof value === 'string' ? value : JSON.stringify(value)).length
  }
  return bytes
}

/** What is known of one job, and how it goes from one state to the next (section 3). */
import { dirname, join } from 'node:path'
import type { BatchOutput, FileError, JobStatus } from '../../shared/api/resources.ts'
import type { ProcessingProgress } from '../../media/protocol.ts'
import type { ProcessedFile } from '../processing/processing.ts'
import type { Delivered, Delivery } from './delivery.ts'
import type { JobInput, JobPlan, Operation } from './job-plan.ts'
import { createJobProgress, type JobProgress } from './job-progress.ts'

export type JobState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'processing'; readonly startedAt: number }
  | {
      readonly kind: 'ended'
      readonly status: 'completed' | 'failed' | 'cancelled'
      /** null where it was cancelled before it had started. */
      readonly startedAt: number | null
      readonly at: number
    }

/** The upload begins while the job is processing and may go on after its end, so its state is one of its own. */
export type UploadState =
  | { readonly kind: 'none' }
  | { readonly kind: 'uploading'; readonly delivery: Delivery }
  /** `at` is null where the upload was given up before it began. */
  | { readonly kind: 'uploaded'; readonly outcome: Delivered; readonly at: number | null }

/** Times are milliseconds since 1970. */
export type JobView = {
  readonly jobId: string
  readonly plan: JobPlan
  readonly createdAt: number
  readonly progress: Pick<JobProgress, 'resource'>
  readonly state: JobState
  readonly upload: UploadState
  /** undefined until they have been discovered. */
  readonly inputs: readonly JobInput[] | undefined
  /** What lay in the drive's folder and is no input. */
  readonly notInputs: readonly FileError[]
  /** By the number of the operation. */
  readonly results: ReadonlyMap<number, BatchOutput>
  readonly errors: ReadonlyMap<number, FileError>
  /** What the whole job failed of. */
  readonly failure: FileError | undefined
  /** About how long results and errors are as JSON, those of the upload included. */
  readonly outcomeBytes: number
}

export type JobRecord = JobView & {
  /** Aborted when the job was cancelled, and when the service ends. */
  readonly signal: AbortSignal
  start(): void
  inputsFound(inputs: readonly JobInput[]): void
  /** What was found in the drive's folder beside the inputs. */
  notInputsFound(errors: readonly FileError[]): void
  operationStarted(operation: Operation): void
  operationReported(operation: Operation, report: ProcessingProgress): void
  operationSucceeded(operation: Operation, made: ProcessedFile): void
  operationFailed(operation: Operation, error: string): void
  /** The operation is over, in whichever way. */
  operationEnded(operation: Operation): void
  uploadStarted(delivery: Delivery): void
  uploadProgressed(): void
  /** The name that a result has got in the drive. */
  uploadNamed(operationIndex: number, name: string): void
  /** @param outcome undefined where a failed job uploads nothing */
  uploadEnded(outcome: Delivered | undefined): void
  /** All operations are over. Changes nothing where the job was cancelled. */
  complete(): void
  /** The whole job failed. Changes nothing where the job was cancelled. */
  fail(failure: FileError, upload?: Delivered): void
  /** Ends the job as cancelled at once; what runs is told to stop. */
  cancel(): void
  /** Stops what still runs of a job, its upload included, and leaves its state as it is. */
  stop(): void
}

export type JobRecordOptions = {
  readonly jobId: string
  readonly plan: JobPlan
  readonly now: () => number
  /** Something that a reader could see is different now. */
  readonly onChange: () => void
}

export function createJobRecord({ jobId, plan, now, onChange }: JobRecordOptions): JobRecord {
  const createdAt = now()
  const abort = new AbortController()
  const progress = createJobProgress(plan.batchCount)
  const outcome = createOutcome()
  let state: JobState = { kind: 'queued' }
  let upload: UploadState = { kind: 'none' }
  let inputs: readonly JobInput[] | undefined
  let failure: FileError | undefined

  function end(status: Extract<JobState, { kind: 'ended' }>['status']): void {
    const startedAt = state.kind === 'processing' ? state.startedAt : null
    state = { kind: 'ended', status, startedAt, at: now() }
    onChange()
  }

  function inputsFound(found: readonly JobInput[]): void {
    inputs = found
    progress.begin(found)
    onChange()
  }

  if (plan.source.kind === 'files') inputsFound(plan.source.inputs)

  return {
    jobId,
    plan,
    createdAt,
    progress,
    signal: abort.signal,
    results: outcome.results,
    errors: outcome.errors,
    notInputs: outcome.notInputs,
    get outcomeBytes() {
      return outcome.bytes
    },
    get state() {
      return state
    },
    get upload() {
      return upload
    },
    get inputs() {
      return inputs
    },
    get failure() {
      return failure
    },
    start() {
      state = { kind: 'processing', startedAt: now() }
      onChange()
    },
    inputsFound,
    notInputsFound(found) {
      for (const error of found) outcome.addNotInput(error)
      onChange()
    },
    operationStarted(operation) {
      progress.started(operation)
      onChange()
    },
    operationReported(operation, report) {
      progress.reported(operation, report)
      onChange()
    },
    operationSucceeded({ index, input }, { outputPath, notes }) {
      progress.noted(notes)
      outcome.addResult(index, { file: input.path, outputPath })
      if (upload.kind === 'uploading') upload.delivery.add(index, outputPath)
      onChange()
    },
    operationFailed({ index, input }, error) {
      outcome.addError(index, { file: input.path, error })
      onChange()
    },
    operationEnded(operation) {
      progress.ended(operation)
      onChange()
    },
    uploadStarted(delivery) {
      upload = { kind: 'uploading', delivery }
      onChange()
    },
    uploadProgressed: onChange,
    uploadNamed(index, name) {
      outcome.rename(index, name)
      onChange()
    },
    uploadEnded(delivered) {
      upload = delivered ? { kind: 'uploaded', outcome: delivered, at: now() } : { kind: 'none' }
      if (delivered && 'uploadResult' in delivered) outcome.count(delivered.uploadResult.errors)
      onChange()
    },
    complete() {
      if (state.kind !== 'processing') return
      end(plan.type === 'single' && outcome.errors.size > 0 ? 'failed' : 'completed')
    },
    fail(reason, delivered) {
      if (state.kind !== 'processing') return
      failure = reason
      if (delivered) upload = { kind: 'uploaded', outcome: delivered, at: null }
      end('failed')
    },
    cancel() {
      end('cancelled')
      abort.abort()
    },
    stop: () => abort.abort(),
  }
}

export const statusOf = (state: JobState): JobStatus => (state.kind === 'ended' ? state.status : state.kind)

/** What has become of a job's files so far, and about how long that is as JSON. */
function createOutcome() {
  const results = new Map<number, BatchOutput>()
  const errors = new Map<number, FileError>()
  const notInputs: FileError[] = []
  let bytes = 0

  function count(entries: readonly object[]): void {
    for (const entry of entries) bytes += bytesOf(entry)
  }

  return {
    results,
    errors,
    notInputs,
    get bytes() {
      return bytes
    },
    count,
    addResult(index: number, result: BatchOutput) {
      results.set(index, result)
      count([result])
    },
    addError(index: number, error: FileError) {
      errors.set(index, error)
      count([error])
    },
    addNotInput(error: FileError) {
      notInputs.push(error)
      count([error])
    },
    rename(index: number, name: string) {
      const result = results.get(index)
      if (result) results.set(index, { ...result, outputPath: join(dirname(result.outputPath), name) })
    },
  }
}

/** Of one entry with its names and quotes. A name may be of other scripts, at up to three bytes a character. */
function bytesOf(entry: object): number {
  let bytes = 40
  for (const text of Object.values(entry)) bytes += 3 * String(text).length
  return bytes
}

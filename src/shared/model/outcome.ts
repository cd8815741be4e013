import type { BatchOutput, FileError, FileProblem, ServiceJob } from '../api/resources.ts'
import { countLost, type LostCounts } from '../loss/lost-counts.ts'
import type { Outcome } from './job.ts'
import { isInProgress } from '../api/job-status.ts'
import { countNotes, type NoteCount } from '../result-notes.ts'

export const lostIn = (outcome: Outcome | null): LostCounts | undefined =>
  outcome !== null && 'lost' in outcome ? outcome.lost : undefined

/**
 * Whether the files are processed but the upload to the drive isn't finished. The upload's outcome is still missing (section 3).
 */
export function isUploading(job: ServiceJob): boolean {
  const drive = job.drive
  return (
    job.status === 'completed' &&
    typeof drive?.outputFolderId === 'string' &&
    !drive.uploadResult &&
    typeof drive.uploadError !== 'string' &&
    !hasNothingToUpload(job)
  )
}

/** Whether every file of a batch failed. Without anything to upload, a service may never report the upload's outcome. */
const hasNothingToUpload = (job: ServiceJob): boolean =>
  job.type === 'batch' && job.results?.length === 0 && (job.errors?.length ?? 0) > 0

export const isFinished = (job: ServiceJob): boolean => !isInProgress(job.status) && !isUploading(job)

/** Returns the results of a job as listed: those of a batch, or the one result of a single job. */
const listedResults = ({ results, result, fileName }: ServiceJob): readonly BatchOutput[] =>
  results ?? (result ? [{ file: fileName ?? '', ...result }] : [])

/** Returns the results of a finished job. Skips entries without a path. */
export const resultsOf = (
  job: ServiceJob,
): readonly (Omit<BatchOutput, 'notes'> & { readonly index: number })[] =>
  listedResults(job)
    .map(({ file, outputPath, losses, quality }, index) => ({
      file,
      outputPath,
      index,
      ...(losses === undefined ? {} : { losses }),
      ...(quality === undefined ? {} : { quality }),
    }))
    .filter(({ outputPath }) => outputPath !== '')

/** Returns the built-in service's notes about a job's results. */
export const notesOf = (job: ServiceJob): readonly NoteCount[] =>
  countNotes(listedResults(job).flatMap(({ notes }) => notes ?? []))

/**
 * Whether the job reports its results or errors. These fields are optional (section 2), and some services set them only in
 * `GET /jobs/{jobId}`.
 */
export const saysItsOutcome = ({ result, results, error, errors }: ServiceJob): boolean =>
  [result, results, error, errors].some((field) => field !== undefined)

/** Returns all errors of a job by file, in the service's own words. */
export function problemsOf(job: ServiceJob, skipped: readonly FileError[]): readonly FileError[] {
  const { uploadResult, uploadError: error, uploadFailure: failure } = job.drive ?? {}
  const upload = uploadResult?.errors.map(({ name, ...problem }) => ({ file: name, ...problem })) ?? []
  const uploadError = typeof error === 'string' ? [{ file: '', error, failure }] : []
  return [...skipped, ...(job.errors ?? []), ...flawOfSingle(job), ...upload, ...uploadError]
}

/** Returns the error of a single job that completed nevertheless. */
const flawOfSingle = ({ status, type, error, failure, fileName }: ServiceJob): readonly FileError[] =>
  status === 'completed' && type === 'single' && error ? [{ file: fileName ?? '', error, failure }] : []

/**
 * Returns the outcome of a job, or null while it is in progress or uploading. A completed batch with errors, skipped inputs or a
 * partial upload is done with problems. A completed job in which nothing succeeded has failed (section 2: "a completed batch may have
 * no successful results").
 * @param skipped inputs that the service refused when it accepted the job
 */
export function outcomeOf(job: ServiceJob, skipped: readonly FileError[] = []): Outcome | null {
  if (!isFinished(job)) return null
  const results = resultsOf(job).length
  if (job.status === 'cancelled') return { kind: 'cancelled', results }
  const problems = problemsOf(job, skipped)
  if (job.status === 'failed') {
    return failedWith(job.error === undefined ? problems[0] : { error: job.error, failure: job.failure })
  }
  const upload = job.drive?.uploadResult ?? null
  const uploaded = upload?.uploaded ?? null
  const isEmpty = job.results?.length === 0 && job.totalFiles !== 0 && uploaded === null
  if (problems.length === 0 && upload?.cancelled !== true && !isEmpty) {
    return { kind: 'done', results, uploaded, ...lostBy(resultsOf(job)) }
  }
  const reached = typeof job.drive?.outputFolderId === 'string' ? (uploaded ?? 0) : results
  // A job that doesn't report its outcome may still have results.
  const isTold = saysItsOutcome(job) || typeof job.drive?.outputFolderId === 'string'
  if (reached === 0 && isTold && upload?.cancelled !== true) {
    return failedWith(problems[0])
  }
  const counted = Math.max(1, problems.length)
  return { kind: 'problems', results, problems: counted, uploaded, ...lostBy(resultsOf(job)) }
}

function lostBy(results: readonly Pick<BatchOutput, 'losses'>[]): { readonly lost?: LostCounts } {
  const lost = countLost(results)
  return lost === undefined ? {} : { lost }
}

/** Returns the outcome of a job without results. @param problem undefined if the service doesn't give a reason */
export const failedWith = (problem: FileProblem | undefined): Outcome & { kind: 'failed' } => ({
  kind: 'failed',
  reason: problem?.error ?? '',
  ...(problem?.failure === undefined ? {} : { failure: problem.failure }),
})

import type { Job } from '../api/resources.ts'
import { isInProgress } from '../api/job-status.ts'

/** What a finished piece of work means to a person. */
export type Outcome =
  | { readonly kind: 'done'; readonly results: number; readonly uploaded: number | null }
  | {
      readonly kind: 'problems'
      readonly results: number
      readonly problems: number
      readonly uploaded: number | null
    }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'cancelled'; readonly results: number }
  /** It vanished from the service before it was seen to finish. */
  | { readonly kind: 'forgotten' }

export type OutcomeKind = Outcome['kind']

/** The drive output has not been told of yet: processing is over, the upload is not (section 3). */
export function isUploading(job: Job): boolean {
  const drive = job.drive
  return (
    job.status === 'completed' &&
    typeof drive?.outputFolderId === 'string' &&
    !drive.uploadResult &&
    typeof drive.uploadError !== 'string' &&
    !hasNothingToUpload(job)
  )
}

/** Every file failed: a service that has nothing to upload may never say that it has uploaded nothing. */
const hasNothingToUpload = (job: Job): boolean =>
  job.type === 'batch' && job.results?.length === 0 && (job.errors?.length ?? 0) > 0

export const isFinished = (job: Job): boolean => !isInProgress(job.status) && !isUploading(job)

/** Files that a finished job made: batches list them, a single job has one. */
export const resultsOf = (job: Job): readonly { readonly file: string; readonly outputPath: string }[] =>
  job.results ?? (job.result ? [{ file: job.fileName ?? '', outputPath: job.result.outputPath }] : [])

/** Everything that went wrong in a job, file by file, with the service's own words. */
export function problemsOf(
  job: Job,
  skipped: readonly { file: string; error: string }[],
): readonly { readonly file: string; readonly error: string }[] {
  const upload = job.drive?.uploadResult?.errors.map(({ name, error }) => ({ file: name, error })) ?? []
  const uploadError =
    typeof job.drive?.uploadError === 'string' ? [{ file: '', error: job.drive.uploadError }] : []
  return [...skipped, ...(job.errors ?? []), ...upload, ...uploadError]
}

/**
 * The outcome of a job, or null while it is in progress or uploading.
 *
 * A completed batch with errors, skipped inputs or a partial upload is done with problems; one without a single result is
 * failed, whatever the service calls it (section 2: "a completed batch may have no successful results").
 *
 * @param skipped inputs that the service refused when it accepted the job
 */
export function outcomeOf(
  job: Job,
  skipped: readonly { file: string; error: string }[] = [],
): Outcome | null {
  if (!isFinished(job)) return null
  const results = resultsOf(job).length
  if (job.status === 'cancelled') return { kind: 'cancelled', results }
  const problems = problemsOf(job, skipped)
  if (job.status === 'failed') {
    return { kind: 'failed', reason: job.error ?? problems[0]?.error ?? '' }
  }
  const upload = job.drive?.uploadResult ?? null
  const uploaded = upload?.uploaded ?? null
  if (problems.length === 0 && upload?.cancelled !== true) return { kind: 'done', results, uploaded }
  const reached = typeof job.drive?.outputFolderId === 'string' ? (uploaded ?? 0) : results
  if (reached === 0 && problems.length > 0) return { kind: 'failed', reason: problems[0]?.error ?? '' }
  return { kind: 'problems', results, problems: Math.max(1, problems.length), uploaded }
}

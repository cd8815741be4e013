/** Represents jobs as the API shows them (section 2, Job). Paths were normalized at submission. */
import { basename } from 'node:path'
import type { BatchOutput, ServiceJob } from '../../shared/api/resources.ts'
import { inEnglish } from '../../shared/i18n/in-english.ts'
import { fileTypeOf, type JobPlan } from './job-plan.ts'
import { type JobRecord, statusOf } from './job-record.ts'

export function jobResource(job: JobRecord): ServiceJob {
  return { ...jobWithoutOutcome(job), ...outcomeOf(job) }
}

/**
 * Size limit of all outcomes in a list, in bytes of JSON. Clients read the list every two seconds and reject one that is too large.
 */
const LISTED_OUTCOME_BYTES = 8 * 1024 * 1024

/**
 * Returns the jobs as entries of a list. Includes outcomes from the newest job to the oldest, but omits each outcome that would exceed the
 * list's size limit. All outcome fields are optional (section 2), and a job's own resource always includes them.
 * @param jobs newest first
 */
export function listedJobs(jobs: readonly JobRecord[]): ServiceJob[] {
  let left = LISTED_OUTCOME_BYTES
  return jobs.map((job) => {
    if (job.outcomeBytes > left) return jobWithoutOutcome(job)
    left -= job.outcomeBytes
    return jobResource(job)
  })
}

function jobWithoutOutcome(job: JobRecord): ServiceJob {
  const { plan, inputs, state, upload } = job
  const status = statusOf(state)
  const [firstInput] = inputs ?? []
  const uploading = upload.kind === 'uploading' ? upload.delivery.progress() : undefined
  return {
    jobId: job.jobId,
    status,
    type: plan.type,
    preset: plan.presetName,
    progress: job.progress.resource(state.kind === 'stopping' ? 'stopping' : status, uploading),
    createdAt: timestamp(job.createdAt),
    startedAt: state.kind === 'queued' || state.startedAt === null ? null : timestamp(state.startedAt),
    completedAt: state.kind === 'ended' ? timestamp(state.at) : null,
    ...(inputs ? { fileType: fileTypeOf(inputs), totalFiles: inputs.length } : {}),
    ...(inputs?.length === 1 && firstInput ? { fileName: basename(firstInput.path) } : {}),
    ...driveFolders(plan),
  }
}

function outcomeOf(job: JobRecord): Partial<ServiceJob> {
  return { ...(job.plan.type === 'single' ? singleOutcome(job) : batchOutcome(job)), ...driveOf(job) }
}

function singleOutcome(job: JobRecord): Pick<ServiceJob, 'result' | 'error' | 'failure'> {
  const [output] = resultsOf(job)
  const failed = job.failure ?? job.errors.get(0)
  return {
    ...(output ? { result: withoutFile(output) } : {}),
    ...(failed ? { error: failed.error, failure: failed.failure } : {}),
  }
}

const withoutFile = ({ file: _file, ...result }: BatchOutput) => result

/** Returns results and errors in input order rather than completion order, so that a download's index is unambiguous. */
function batchOutcome(job: JobRecord): Pick<ServiceJob, 'results' | 'errors' | 'error' | 'failure'> {
  const { errors, notInputs, failure } = job
  return {
    results: resultsOf(job),
    errors: [...(failure ? [failure] : []), ...notInputs, ...inOrder(errors)],
    ...(failure ? { error: failure.error, failure: failure.failure } : {}),
  }
}

/** Returns the results in order. A result in a drive has only its name, because the local file is deleted after the upload. */
function resultsOf({ plan, results }: JobRecord): BatchOutput[] {
  const all = inOrder(results)
  if (plan.target.kind !== 'drive') return all
  return all.map((result) => ({ ...result, outputPath: basename(result.outputPath) }))
}

/** Returns `Job.drive` (section 2) for jobs that use a drive. Neither outcome is set until the upload has ended. */
function driveOf({ plan, upload }: JobRecord): Pick<ServiceJob, 'drive'> {
  const { drive } = driveFolders(plan)
  if (drive === undefined) return {}
  const outcome = upload.kind === 'uploaded' ? upload.outcome : undefined
  return {
    drive: {
      ...drive,
      uploadResult: outcome && 'uploadResult' in outcome ? outcome.uploadResult : null,
      ...(outcome && 'uploadError' in outcome
        ? { uploadError: inEnglish(outcome.uploadError), uploadFailure: outcome.uploadError }
        : { uploadError: null }),
    },
  }
}

function driveFolders({ source, target }: JobPlan): Pick<ServiceJob, 'drive'> {
  if (source.kind !== 'drive' && target.kind !== 'drive') return {}
  return {
    drive: {
      inputFolderId: source.kind === 'drive' ? source.folder.id : null,
      outputFolderId: target.kind === 'drive' ? target.folder.id : null,
    },
  }
}

const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].toSorted(([a], [b]) => a - b).map(([, value]) => value)

const timestamp = (time: number): string => new Date(time).toISOString()

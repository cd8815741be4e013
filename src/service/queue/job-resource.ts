/** A job as the API shows it (section 2, Job). Paths stand as they were normalised at submission. */
import { basename } from 'node:path'
import type { Job } from '../../shared/api/resources.ts'
import { fileTypeOf } from './job-plan.ts'
import { type JobView, statusOf } from './job-record.ts'

export function jobResource(job: JobView): Job {
  const { plan, inputs, state, upload } = job
  const status = statusOf(state)
  const [firstInput] = inputs ?? []
  const uploading = upload.kind === 'uploading' ? upload.delivery.progress() : undefined
  return {
    jobId: job.jobId,
    status,
    type: plan.type,
    preset: plan.presetName,
    progress: job.progress.resource(status, uploading),
    createdAt: timestamp(job.createdAt),
    startedAt: state.kind === 'queued' || state.startedAt === null ? null : timestamp(state.startedAt),
    completedAt: state.kind === 'ended' ? timestamp(state.at) : null,
    ...(inputs ? { fileType: fileTypeOf(inputs), totalFiles: inputs.length } : {}),
    ...(inputs?.length === 1 && firstInput ? { fileName: basename(firstInput.path) } : {}),
    ...(plan.type === 'single' ? singleOutcome(job) : batchOutcome(job)),
    ...driveOf(job),
  }
}

function singleOutcome({ results, errors, failure }: JobView): Pick<Job, 'result' | 'error'> {
  const output = results.get(0)
  const failed = failure ?? errors.get(0)
  return {
    ...(output ? { result: { outputPath: output.outputPath } } : {}),
    ...(failed ? { error: failed.error } : {}),
  }
}

/** In the order of the inputs, not of their completion, so that a download's index means the same for everybody. */
function batchOutcome(job: JobView): Pick<Job, 'results' | 'errors' | 'error'> {
  const { results, errors, notInputs, failure } = job
  return {
    results: inOrder(results),
    errors: [...(failure ? [failure] : []), ...notInputs, ...inOrder(errors)],
    ...(failure ? { error: failure.error } : {}),
  }
}

/** Section 2, Job.drive: for jobs that have to do with a drive. Until the upload has ended, neither outcome is there. */
function driveOf({ plan: { source, target }, upload }: JobView): Pick<Job, 'drive'> {
  if (source.kind !== 'drive' && target.kind !== 'drive') return {}
  const outcome = upload.kind === 'uploaded' ? upload.outcome : undefined
  return {
    drive: {
      inputFolderId: source.kind === 'drive' ? source.folder.id : null,
      outputFolderId: target.kind === 'drive' ? target.folder.id : null,
      uploadResult: outcome && 'uploadResult' in outcome ? outcome.uploadResult : null,
      uploadError: outcome && 'uploadError' in outcome ? outcome.uploadError : null,
    },
  }
}

const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].toSorted(([a], [b]) => a - b).map(([, value]) => value)

const timestamp = (time: number): string => new Date(time).toISOString()

/** Routes that return a resource or change the service's state. */
import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import {
  type AcceptedJob,
  CancelledJob,
  ClearedJobs,
  DriveStatus,
  Health,
  type ServiceJob,
  JobListAnswer,
  Presets,
  createJobReader,
  readJobList,
  type ReadJobList,
  type SpoofJobRequest,
} from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result } from '../../shared/service-error.ts'
import { createListParser } from './parse-answer.ts'
import type { RequestOptions, Requests } from './requests.ts'

export function createCalls({ sendForJson, resources }: Requests) {
  const parseList = createListParser()
  const readJob = createJobReader(resources.Job)

  return {
    /** Doesn't require a key. */
    health: (options?: RequestOptions): Promise<Result<Health>> =>
      sendForJson('GET /health', Health, { withoutKey: true }, options),

    presets: (options?: RequestOptions): Promise<Result<Presets>> =>
      sendForJson('GET /presets', Presets, {}, options),

    driveStatus: (options?: RequestOptions): Promise<Result<DriveStatus>> =>
      sendForJson('GET /drive/status', DriveStatus, {}, options),

    /**
     * Creates a job. Every call that arrives creates another job (section 2, rule 5). After `noAnswer`, `serverError`, `badResponse`,
     * or `aborted` with `maybeReceived`, read the job list before retrying.
     */
    createJob(request: SpoofJobRequest, options?: RequestOptions): Promise<Result<AcceptedJob>> {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(request)
      return sendForJson('POST /jobs', resources.AcceptedJob, { headers, body }, options)
    },

    /** Returns the 50 most recent jobs and the state of the queue. A job that hasn't changed is the same object as in the previous call. */
    async jobs(options?: RequestOptions): Promise<Result<ReadJobList>> {
      const listed = await sendForJson('GET /jobs', JobListAnswer, {}, options, 'total', parseList)
      return listed.ok ? succeeded(readJobList(listed.value, readJob)) : listed
    },

    async job(jobId: string, options?: RequestOptions): Promise<Result<ServiceJob>> {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson('GET /jobs/{jobId}', resources.Job, { jobId }, options)
    },

    /**
     * Requests cancellation. Read the job again to see whether it was canceled (section 3). Fails with `conflict` if the job has
     * ended.
     */
    async cancelJob(jobId: string, options?: RequestOptions): Promise<Result<CancelledJob>> {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson('DELETE /jobs/{jobId}', CancelledJob, { jobId }, options)
    },

    /** Removes finished jobs from the service's history. */
    clearJobs: (options?: RequestOptions): Promise<Result<ClearedJobs>> =>
      sendForJson('DELETE /jobs', ClearedJobs, {}, options),
  }
}

export const unknownJob = (jobId: string) =>
  failed({ kind: 'notFound', ...because(failure('jobIdInvalid', { id: jobId })) })

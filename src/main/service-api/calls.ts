/** The routes that answer with a resource, and those that change what the service has. */
import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import {
  AcceptedJob,
  CancelledJob,
  ClearedJobs,
  DriveStatus,
  Health,
  Job,
  JobListAnswer,
  Presets,
  readJobList,
  type ReadJobList,
  type SpoofJobRequest,
} from '../../shared/api/resources.ts'
import { failed, succeeded, type Result } from '../../shared/service-error.ts'
import type { RequestOptions, Requests } from './requests.ts'

export interface Calls {
  /** Needs no key. */
  health(options?: RequestOptions): Promise<Result<Health>>
  presets(options?: RequestOptions): Promise<Result<Presets>>
  driveStatus(options?: RequestOptions): Promise<Result<DriveStatus>>
  /**
   * Creates a job; every call that arrives creates another (section 2, rule 5). After `noAnswer`, `serverError`,
   * `badResponse`, or `aborted` with `maybeReceived`, read the job list before sending it again.
   */
  createJob(request: SpoofJobRequest, options?: RequestOptions): Promise<Result<AcceptedJob>>
  /** The 50 most recent jobs and the state of the queue. */
  jobs(options?: RequestOptions): Promise<Result<ReadJobList>>
  job(jobId: string, options?: RequestOptions): Promise<Result<Job>>
  /** Asks for it; whether it happened is seen by reading the job again (section 3). `conflict` where it has ended. */
  cancelJob(jobId: string, options?: RequestOptions): Promise<Result<CancelledJob>>
  /** Removes the finished jobs from the service's history. */
  clearJobs(options?: RequestOptions): Promise<Result<ClearedJobs>>
}

export function createCalls({ sendForJson }: Requests): Calls {
  return {
    health: (options) =>
      sendForJson('GET /health', Health, { method: 'GET', path: '/health', withoutKey: true }, options),

    presets: (options) => sendForJson('GET /presets', Presets, { method: 'GET', path: '/presets' }, options),

    driveStatus: (options) =>
      sendForJson('GET /drive/status', DriveStatus, { method: 'GET', path: '/drive/status' }, options),

    createJob: (request, options) =>
      sendForJson(
        'POST /jobs',
        AcceptedJob,
        {
          method: 'POST',
          path: '/jobs',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
        },
        options,
      ),

    async jobs(options) {
      const listed = await sendForJson('GET /jobs', JobListAnswer, { method: 'GET', path: '/jobs' }, options)
      return listed.ok ? succeeded(readJobList(listed.value)) : listed
    },

    async job(jobId, options) {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson('GET /jobs/{jobId}', Job, { method: 'GET', path: `/jobs/${jobId}` }, options)
    },

    async cancelJob(jobId, options) {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson(
        'DELETE /jobs/{jobId}',
        CancelledJob,
        { method: 'DELETE', path: `/jobs/${jobId}` },
        options,
      )
    },

    clearJobs: (options) =>
      sendForJson('DELETE /jobs', ClearedJobs, { method: 'DELETE', path: '/jobs' }, options),
  }
}

export const unknownJob = (jobId: string) =>
  failed({ kind: 'notFound', message: `“${jobId}” is not the id of a job.` })

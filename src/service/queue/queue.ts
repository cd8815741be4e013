/**
 * The jobs of the service: which wait, which one runs, and a history in memory (sections 1, 3 and 8). What a file becomes
 * is the business of `processing`.
 */
import { isInProgress } from '../../shared/api/job-status.ts'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { Job, JobList } from '../../shared/api/resources.ts'
import type { Processing } from '../processing/processing.ts'
import { createUploadFinisher } from './finish-upload.ts'
import type { FreeBytes } from './free-space.ts'
import { HttpError } from './http-error.ts'
import type { JobPlan } from './job-plan.ts'
import { createJobRecord, type JobRecord, statusOf } from './job-record.ts'
import { jobResource, listedJobs } from './job-resource.ts'
import { runJob } from './run-job.ts'
import { createScheduler } from './scheduler.ts'
import type { WorkFolders } from './work-folders.ts'

export type QueueOptions = {
  readonly processing: Processing
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly freeBytes: FreeBytes
  /** For what is on its way from or to a drive. */
  readonly workFolders: WorkFolders
  /** A job has ended, and a list says so from now on. What goes on of it is its upload at most. */
  readonly onJobEnded?: (() => void) | undefined
  readonly log: (message: string) => void
}

export type Queue = {
  /**
   * @returns the job's id and its position: 0 when it has started at once, else 1 for the next one
   * @throws HttpError 429 when ten jobs are waiting
   */
  add(plan: JobPlan): { readonly jobId: string; readonly position: number }
  /** @throws HttpError 429, cheap enough to be asked before a request is checked. */
  requireSpace(): void
  /** The same object as before while nothing has changed. Newest first. */
  list(): JobList
  find(jobId: string): Job | undefined
  /** How many jobs are queued or processing. */
  activeJobs(): number
  /**
   * Section 3. The running file is told to stop and may still finish; nothing is started after it.
   * @throws HttpError 404 unknown, 400 not in progress
   */
  cancel(jobId: string): void
  /** Forgets all finished jobs but those that are still uploading. @returns how many */
  clear(): number
  /** Forgets jobs that ended, upload included, more than an hour ago. @returns how many */
  sweep(): number
  /** The inputs of jobs in progress: these files must stay. */
  inputsInUse(): ReadonlySet<string>
  /**
   * Cancels everything, stops uploads, and waits until nothing runs any more.
   *
   * @returns what has become of the jobs, as a list shows them
   */
  close(): Promise<readonly Job[]>
}

export function createQueue(options: QueueOptions): Queue {
  const { now, newId, workFolders, log } = options
  /** Oldest first; a Map keeps the order of insertion. */
  const history = new Map<string, JobRecord>()
  const uploads = createUploadFinisher({ workFolders, log })
  let listed: JobList | undefined
  const onChange = () => {
    listed = undefined
  }
  const scheduler = createScheduler<JobRecord>({
    run: (record) => runJob(record, { ...options, uploads }),
    onEnded() {
      onChange()
      options.onJobEnded?.()
    },
  })

  const isOver = (record: JobRecord): boolean =>
    record.state.kind === 'ended' && record !== scheduler.running && record.upload.kind !== 'uploading'

  function forget(isForgotten: (record: JobRecord) => boolean): number {
    const forgotten = [...history.values()].filter((record) => isOver(record) && isForgotten(record))
    for (const { jobId } of forgotten) history.delete(jobId)
    if (forgotten.length > 0) onChange()
    return forgotten.length
  }

  function requireSpace(): void {
    if (scheduler.waiting.length < MAX_WAITING_JOBS) return
    throw new HttpError(
      429,
      `${MAX_WAITING_JOBS} jobs are waiting already. Submit again when one has finished.`,
    )
  }

  function list(): JobList {
    listed ??= {
      jobs: listedJobs([...history.values()].slice(-MAX_LISTED_JOBS).toReversed()),
      queueLength: scheduler.waiting.length,
      processing: scheduler.running !== undefined,
    }
    return listed
  }

  return {
    requireSpace,
    add(plan) {
      requireSpace()
      const record = createJobRecord({ jobId: newId(), plan, now, onChange })
      history.set(record.jobId, record)
      const position = scheduler.add(record)
      onChange()
      return { jobId: record.jobId, position }
    },
    list,
    find(jobId) {
      const record = history.get(jobId)
      return record && jobResource(record)
    },
    activeJobs: () => [...history.values()].filter(({ state }) => state.kind !== 'ended').length,
    cancel(jobId) {
      const record = history.get(jobId)
      if (!record) throw new HttpError(404, 'There is no such job')
      const status = statusOf(record.state)
      if (!isInProgress(status)) {
        const upload = record.upload.kind === 'uploading' ? ', and only its upload goes on' : ''
        throw new HttpError(400, `The job can't be cancelled any more: it is ${status}${upload}`)
      }
      scheduler.remove(record)
      record.cancel()
    },
    clear: () => forget(() => true),
    sweep: () => forget((record) => now() - lastChangeOf(record) >= RETENTION_MS),
    inputsInUse() {
      const { running, waiting } = scheduler
      const records = running ? [running, ...waiting] : waiting
      return new Set(
        records.flatMap(({ plan: { source } }) =>
          source.kind === 'files' ? source.inputs.map((input) => input.path) : [],
        ),
      )
    },
    async close() {
      for (const record of scheduler.close()) record.cancel()
      const { running } = scheduler
      if (running?.state.kind === 'processing') running.cancel()
      for (const record of history.values()) record.stop()
      await scheduler.idle()
      await uploads.settled()
      await workFolders.close()
      listed = undefined
      return list().jobs
    },
  }
}

/** Section 3 counts the hour from the end of the job; a job that uploads ends with its upload. */
function lastChangeOf({ upload, state, createdAt }: JobRecord): number {
  const uploadedAt = upload.kind === 'uploaded' ? upload.at : null
  return uploadedAt ?? (state.kind === 'ended' ? state.at : createdAt)
}

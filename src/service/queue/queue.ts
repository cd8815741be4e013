/**
 * The service's jobs: the queue, the running job, and a history in memory (sections 1, 3 and 8). `processing` creates the results.
 */
import { failure } from '../../shared/failure/failure.ts'
import { isInProgress } from '../../shared/api/job-status.ts'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { ServiceJob, JobList } from '../../shared/api/resources.ts'
import type { ExpectedResults } from '../../node/placement-notes.ts'
import { HttpError } from './http-error.ts'
import type { JobPlan } from './job-plan.ts'
import { createJobRecord, type JobRecord, statusOf } from './job-record.ts'
import { jobResource, listedJobs } from './job-resource.ts'
import { runJob, type RunJobOptions } from './run-job.ts'

export type Queue = ReturnType<typeof createQueue>

export function createQueue(
  options: RunJobOptions & {
    /** ms since 1970. */
    readonly now: () => number
    readonly newId: () => string
    /** Called when a job has ended and lists show it as ended. Its upload may still be running. */
    readonly onJobEnded?: (() => void) | undefined
  },
) {
  const { now, newId, workFolders } = options
  /** Oldest first; a Map keeps insertion order. */
  const history = new Map<string, JobRecord>()
  /** The job that is next comes first. */
  const waiting: JobRecord[] = []
  /** Uploads of earlier jobs that are still running. */
  const uploads = new Set<Promise<void>>()
  let running: JobRecord | undefined
  let runningEnded: Promise<void> = Promise.resolve()
  let isClosed = false
  let listed: JobList | undefined
  const onChange = () => {
    listed = undefined
  }

  /** Starts the next job unless one is running (section 1: one job at a time, in order). */
  function startNext(): void {
    if (running !== undefined || isClosed) return
    running = waiting.shift()
    if (running === undefined) return
    runningEnded = runJob(running, options, uploads).finally(() => {
      running = undefined
      onChange()
      options.onJobEnded?.()
      startNext()
    })
  }

  const isOver = (record: JobRecord): boolean =>
    record.state.kind === 'ended' && record !== running && record.upload.kind !== 'uploading'

  function forget(isForgotten: (record: JobRecord) => boolean): number {
    const forgotten = [...history.values()].filter((record) => isOver(record) && isForgotten(record))
    for (const { jobId } of forgotten) history.delete(jobId)
    if (forgotten.length > 0) onChange()
    return forgotten.length
  }

  /**
   * Checks that the queue isn't full. Fast enough to be called before a request is validated.
   * @throws HttpError 429
   */
  function requireSpace(): void {
    if (waiting.length < MAX_WAITING_JOBS) return
    throw new HttpError(429, failure('queueFull', { count: MAX_WAITING_JOBS }))
  }

  /** Lists up to `MAX_LISTED_JOBS` jobs, newest first. Returns the same object until a job changes. */
  function list(): JobList {
    listed ??= {
      jobs: listedJobs([...history.values()].slice(-MAX_LISTED_JOBS).toReversed()),
      queueLength: waiting.length,
      processing: running !== undefined,
    }
    return listed
  }

  return {
    requireSpace,
    /**
     * Adds a job.
     * @returns its ID and its position: 0 if it started immediately, 1 if it is next
     * @throws HttpError 429 if the queue is full
     */
    add(plan: JobPlan): { readonly jobId: string; readonly position: number } {
      requireSpace()
      const record = createJobRecord(newId(), plan, now, onChange)
      history.set(record.jobId, record)
      options.placements?.jobAdded(record.jobId, expectedResults(plan))
      waiting.push(record)
      startNext()
      onChange()
      return { jobId: record.jobId, position: waiting.indexOf(record) + 1 }
    },
    list,
    find(jobId: string): ServiceJob | undefined {
      const record = history.get(jobId)
      return record && jobResource(record)
    },
    /** How many jobs are queued or processing. */
    activeJobs: () => [...history.values()].filter(({ state }) => state.kind !== 'ended').length,
    /**
     * Cancels a job (section 3). Stops its running files, though they may still finish, and starts no others. The job remains in progress
     * until they have stopped.
     * @throws HttpError 404 unknown, 400 not in progress
     */
    cancel(jobId: string): void {
      const record = history.get(jobId)
      if (!record) throw new HttpError(404, failure('jobUnknown'))
      const status = statusOf(record.state)
      if (!isInProgress(status)) {
        throw new HttpError(400, failure(record.upload.kind === 'uploading' ? 'jobOnlyUploads' : 'jobEnded'))
      }
      if (record !== running) waiting.splice(waiting.indexOf(record), 1)
      record.cancel()
    },
    /** Forgets all finished jobs except those that are still uploading. @returns how many jobs it has forgotten */
    clear: () => forget(() => true),
    /** Forgets jobs that ended, including their upload, more than an hour ago. @returns how many jobs it has forgotten */
    sweep: () => forget((record) => now() - lastChangeOf(record) >= RETENTION_MS),
    /** The inputs of unfinished jobs, which must not be removed. */
    inputsInUse: (): ReadonlySet<string> =>
      new Set((running ? [running, ...waiting] : waiting).flatMap(({ plan }) => localInputs(plan))),
    /**
     * Interrupts all jobs and uploads, and waits until nothing is running. Unfinished jobs stay unfinished.
     * @returns the final state of the jobs, as a list shows them
     */
    async close(): Promise<readonly ServiceJob[]> {
      isClosed = true
      waiting.length = 0
      for (const record of history.values()) record.interrupt()
      await runningEnded
      await Promise.all(uploads)
      await workFolders.close()
      listed = undefined
      return list().jobs
    },
  }
}

/** Returns when the job, including its upload, ended. The hour in section 3 starts at this time. */
function lastChangeOf({ upload, state, createdAt }: JobRecord): number {
  const uploadedAt = upload.kind === 'uploaded' ? upload.at : null
  return uploadedAt ?? (state.kind === 'ended' ? state.at : createdAt)
}

const localInputs = ({ source }: JobPlan): readonly string[] =>
  source.kind === 'files' ? source.inputs.map(({ path }) => path) : []

const expectedResults = (plan: JobPlan): ExpectedResults => ({
  preset: plan.presetName,
  inputs: localInputs(plan),
  variations: plan.batchCount,
  folder: plan.target.kind === 'folder' ? plan.target.path : undefined,
})

import * as z from 'zod'
import { isInProgress } from '../../shared/api/job-status.ts'
import { type AcceptedJob, JobId, type JobList, type ServiceJob } from '../../shared/api/resources.ts'
import type { Timing } from '../../node/timing.ts'
import { expectResource, NotChecked, Violation } from './expectations.ts'
import { type Answer, type Ask, Interrupted, NoAnswer, type Request } from './requests.ts'

/** Intervals of polling in ms. The last one repeats. Section 6 recommends two seconds. */
const POLLS_MS = [100, 200, 400, 800, 2_000] as const
/** Maximum wait for one job, or until no job is in progress, in ms (section 8: the reference clients wait for 10 minutes). */
const PATIENCE_MS = 600_000

/** Thrown if a job doesn't start or end within the maximum wait. Later jobs would probably wait for it. */
export class Stuck extends Violation {}

export type OwnJobs = ReturnType<typeof createOwnJobs>

type Options = {
  readonly ask: Ask
  readonly timing: Pick<Timing, 'after' | 'monotonic'>
  readonly interrupted: AbortSignal
}

/** Creates, follows and remembers jobs. Never cancels jobs other than the checks' own. */
export function createOwnJobs({ ask, timing, interrupted }: Options) {
  const known = new Set<string>()
  /** Jobs that existed before the checks or that other clients created. */
  const foreign = new Set<string>()
  const ended = new Set<string>()

  /** Sends the body of a job. Remembers the job if the service creates one, even if it shouldn't have. */
  async function send(body: string, headers: Request['headers'] = {}): Promise<Answer> {
    const answer = await ask({
      method: 'POST',
      path: '/jobs',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const jobId = answer.status === 202 ? jobIdIn(answer.bytes) : undefined
    if (jobId !== undefined && foreign.has(jobId)) {
      throw new Violation('returned the ID of an existing job for POST /jobs')
    }
    if (jobId !== undefined) known.add(jobId)
    return answer
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = timing.after(ms, resolve)
      interrupted.addEventListener('abort', () => (cancel(), reject(new Interrupted())), { once: true })
    })

  /** Polls until `read` returns a value, or `patience` ms have passed. */
  async function poll<T>(read: () => Promise<T | undefined>, patience: number): Promise<T | undefined> {
    const until = timing.monotonic() + patience
    for (let count = 0; ; count++) {
      const value = await read()
      if (value !== undefined || timing.monotonic() >= until) return value
      await pause(POLLS_MS[count] ?? POLLS_MS[POLLS_MS.length - 1] ?? 0)
    }
  }

  async function read(jobId: string): Promise<ServiceJob> {
    const job = expectResource(await ask({ method: 'GET', path: `/jobs/${jobId}` }), 200, 'Job')
    if (job.jobId !== jobId) throw new Violation(`GET /jobs/${jobId} returned a different job`)
    return job
  }

  async function until(
    jobId: string,
    holds: (job: ServiceJob) => boolean,
    what: string,
  ): Promise<ServiceJob> {
    const job = await poll(async () => {
      const current = await read(jobId)
      return holds(current) ? current : undefined
    }, PATIENCE_MS)
    if (job === undefined) throw new Stuck(`a job was not ${what} within 10 minutes`)
    if (!isInProgress(job.status)) ended.add(jobId)
    return job
  }

  async function list(): Promise<JobList> {
    const listed = expectResource(await ask({ method: 'GET', path: '/jobs' }), 200, 'JobList')
    for (const { jobId } of listed.jobs) if (!known.has(jobId)) foreign.add(jobId)
    return listed
  }

  return {
    send,
    read,
    list,
    submit: (body: object) => send(JSON.stringify(body)),
    async accept(body: object): Promise<AcceptedJob> {
      return expectResource(await send(JSON.stringify(body)), 202, 'AcceptedJob')
    },
    finished: (jobId: string) => until(jobId, ({ status }) => !isInProgress(status), 'finished'),
    /** @throws NotChecked if the job ended too soon */
    async processing(jobId: string): Promise<ServiceJob> {
      const job = await until(jobId, ({ status }) => status !== 'queued', 'started')
      if (job.status !== 'processing') throw new NotChecked('The job ended before this could be checked.')
      return job
    },
    cancel: (jobId: string) => ask({ method: 'DELETE', path: `/jobs/${jobId}` }),
    isOwn: (jobId: string) => known.has(jobId),
    /** Waits until no job is in progress. @returns false if a job is still in progress after the maximum wait */
    async idle(): Promise<boolean> {
      const isIdle = await poll(async () => {
        const { jobs, processing, queueLength } = await list()
        const isBusy = processing || queueLength > 0 || jobs.some(({ status }) => isInProgress(status))
        return isBusy ? undefined : true
      }, PATIENCE_MS)
      return isIdle === true
    },
    /**
     * Cancels own jobs that may still be in progress.
     * @param askToEnd works even after an interruption
     * @returns the jobs whose cancellation failed; all of these jobs once the service doesn't respond
     */
    async cancelAll(askToEnd: Ask): Promise<readonly string[]> {
      const left: string[] = []
      for (const jobId of known) {
        if (ended.has(jobId)) continue
        try {
          const { status } = await askToEnd({ method: 'DELETE', path: `/jobs/${jobId}` })
          // 400: it has ended. 404: the service has forgotten it.
          if (![200, 400, 404].includes(status)) left.push(jobId)
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error
          return [...left, ...[...known].filter((id) => !ended.has(id) && !left.includes(id))]
        }
      }
      return left
    },
  }
}

function jobIdIn(bytes: Buffer): string | undefined {
  try {
    return z.object({ jobId: JobId }).safeParse(JSON.parse(bytes.toString('utf8'))).data?.jobId
  } catch {
    return undefined
  }
}

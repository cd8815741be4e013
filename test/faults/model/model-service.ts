import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../../src/shared/api/limits.ts'
import type { Job, SpoofJobRequest } from '../../../src/shared/api/resources.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../../src/shared/service-error.ts'
import type { ServiceApi } from '../../../src/main/service-api/index.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What goes wrong with the next `POST /jobs`. */
export type PostFault = 'lostBefore' | 'lostAfter' | 'slow' | 'serverError' | 'away' | 'late'

/** A Local Media Job service in memory, as the specification describes it, with what it has ever made. */
export type ModelService = {
  /** File names of every job ever created, whatever became of it. */
  readonly made: readonly string[]
  api(isAlive: () => boolean): ServiceApi
  failNext(fault: PostFault): void
  /** One job is processed, if one waits. */
  work(): void
  clear(): void
  cleanUp(): void
  restart(renumber: boolean): void
}

const REQUEST_TIMEOUT_MS = 30_000
const SLOW_CREATION_MS = 70_000

const lost = (reason: string): ServiceError => ({ kind: 'noAnswer', reason, message: reason })

const unused = () => Promise.reject(new Error('not part of the model'))

const accepted = (jobId: string): Awaited<ReturnType<ServiceApi['createJob']>> =>
  succeeded({
    jobId,
    status: 'queued',
    inputFiles: 1,
    batchCount: 1,
    totalOperations: 1,
    skipped: [],
    position: 0,
    drive: null,
  })

export function createModelService(time: VirtualTime): ModelService {
  const made: string[] = []
  const faults: PostFault[] = []
  let jobs: Job[] = []
  let life = 1
  let ids = 0

  const timeText = () => new Date(Date.UTC(2026, 10, 20) + time.now()).toISOString()

  function create(request: SpoofJobRequest): string {
    const [path = ''] = request.files ?? [request.filePath ?? '']
    ids += 1
    const jobId = `job-${life}-${ids}`
    const name = path.replace(/^.*[/]/, '')
    made.push(name)
    jobs = [
      {
        jobId,
        status: 'queued',
        type: 'single',
        preset: request.preset ?? '',
        progress: {},
        createdAt: timeText(),
        startedAt: null,
        completedAt: null,
        fileName: name,
        totalFiles: 1,
      },
      ...jobs,
    ]
    return jobId
  }

  /** An answer that comes after a while, to a client that may be gone by then. */
  const later = <T>(ms: number, answer: () => Result<T>, isAlive: () => boolean): Promise<Result<T>> =>
    new Promise((resolve) => time.after(ms, () => (isAlive() ? resolve(answer()) : undefined)))

  function post(request: SpoofJobRequest, isAlive: () => boolean): ReturnType<ServiceApi['createJob']> {
    const waiting = jobs.filter(({ status }) => status === 'queued').length
    if (waiting >= MAX_WAITING_JOBS) {
      return later(1, () => failed({ kind: 'queueFull', message: 'full' }), isAlive)
    }
    switch (faults.shift()) {
      case 'lostBefore':
        return later(1, () => failed(lost('ECONNRESET')), isAlive)
      case 'lostAfter':
        create(request)
        return later(1, () => failed(lost('ECONNRESET')), isAlive)
      case 'late':
        time.after(3_000, () => void create(request))
        return later(1, () => failed(lost('ECONNRESET')), isAlive)
      case 'slow':
        time.after(SLOW_CREATION_MS, () => void create(request))
        return later(REQUEST_TIMEOUT_MS, () => failed(lost('timeout')), isAlive)
      case 'serverError':
        return later(1, () => failed({ kind: 'serverError', status: 500, message: '500' }), isAlive)
      case 'away':
        return later(
          1,
          () => failed({ kind: 'notReachable', reason: 'ECONNREFUSED', message: 'away' }),
          isAlive,
        )
      case undefined: {
        const jobId = create(request)
        return later(1, () => accepted(jobId), isAlive)
      }
    }
  }

  return {
    made,
    failNext: (fault) => void faults.push(fault),
    work() {
      const next = jobs.findLast(({ status }) => status === 'queued')
      if (next === undefined) return
      const result = { outputPath: `/out/${next.fileName ?? ''}` }
      const done: Job = {
        ...next,
        status: 'completed',
        startedAt: timeText(),
        completedAt: timeText(),
        result,
      }
      jobs = jobs.map((job) => (job === next ? done : job))
    },
    clear() {
      jobs = jobs.filter(({ status }) => status === 'queued')
    },
    cleanUp() {
      const now = Date.parse(timeText())
      jobs = jobs.filter(
        ({ completedAt }) => completedAt === null || now - Date.parse(completedAt) < RETENTION_MS,
      )
    },
    restart(renumber) {
      jobs = []
      if (renumber) ids = 0
      else life += 1
    },
    api: (isAlive) => ({
      baseUrl: { origin: 'http://model', prefix: '/api', href: 'http://model/api' },
      createJob: (request) => post(request, isAlive),
      jobs: () =>
        later(
          1,
          () => succeeded({ jobs: jobs.slice(0, MAX_LISTED_JOBS), queueLength: 0, processing: false }),
          isAlive,
        ),
      job: (jobId) =>
        later(
          1,
          () => {
            const job = jobs.find((one) => one.jobId === jobId)
            return job === undefined ? failed({ kind: 'notFound', message: 'gone' }) : succeeded(job)
          },
          isAlive,
        ),
      health: unused,
      presets: unused,
      driveStatus: unused,
      upload: unused,
      cancelJob: unused,
      clearJobs: unused,
      download: unused,
      close: () => Promise.resolve(),
    }),
  }
}

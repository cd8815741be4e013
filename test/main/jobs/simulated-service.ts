import type { ServiceJob, JobList } from '../../../src/shared/api/resources.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../../src/shared/service-error.ts'
import type { ServiceApi } from '../../../src/main/service-api/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { PartTitle } from '../../../src/shared/model/job.ts'
import { onlyPlace } from '../../../src/shared/model/job-state.ts'
import type { NewlyTracked } from '../../../src/main/jobs/index.ts'

/** Virtual time that only a test advances, with its timers. */
export function simulatedTime(start = Date.UTC(2026, 10, 17, 8)) {
  let monotonic = 0
  let offset = start
  let timers: { at: number; run: () => void }[] = []
  return {
    clock: () => offset + monotonic,
    monotonic: () => monotonic,
    after: (ms: number, run: () => void) => {
      const timer = { at: monotonic + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    /** Sets the wall clock; the monotonic clock is unaffected. */
    jump(ms: number) {
      offset += ms
    },
    timers: () => timers.length,
    async pass(ms: number) {
      const end = monotonic + ms
      for (;;) {
        await settled()
        const due = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (!due) break
        timers = timers.filter((other) => other !== due)
        monotonic = Math.max(monotonic, due.at)
        due.run()
      }
      monotonic = end
      await settled()
    },
  }
}

/** Resolves when all pending promise callbacks have run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve()
}

const unused = () => Promise.reject(new Error('Not part of this simulation.'))

/** An in-memory service whose jobs can be added and changed; every request is counted. */
export function simulatedService(time: { clock: () => number }) {
  let jobs: ServiceJob[] = []
  /** Fields that only `GET /jobs/{id}` returns, not the job list. */
  const whole = new Map<string, Partial<ServiceJob>>()
  let trouble: ServiceError | undefined
  let gate: Promise<void> | undefined
  const requests: string[] = []
  let open = 0
  let mostOpen = 0

  async function answer<T>(request: string, make: () => Result<T>): Promise<Result<T>> {
    requests.push(request)
    mostOpen = Math.max(mostOpen, ++open)
    try {
      await gate
      return trouble ? failed(trouble) : make()
    } finally {
      open--
    }
  }
  const notFound = failed({ kind: 'notFound', message: 'no such job' })

  const api: ServiceApi = {
    baseUrl: { origin: 'http://127.0.0.1:3847', prefix: '/api', href: 'http://127.0.0.1:3847/api' },
    health: unused,
    presets: unused,
    driveStatus: unused,
    upload: unused,
    createJob: unused,
    clearJobs: unused,
    download: unused,
    close: () => Promise.resolve(),
    jobs: () =>
      answer('GET /jobs', () => {
        const listed = jobs.slice(0, 50)
        return succeeded<JobList>({
          jobs: structuredClone(listed),
          queueLength: listed.filter(({ status }) => status === 'queued').length,
          processing: listed.some(({ status }) => status === 'processing'),
        })
      }),
    job: (jobId) =>
      answer(`GET /jobs/${jobId}`, () => {
        const job = jobs.find((other) => other.jobId === jobId)
        return job ? succeeded(structuredClone({ ...job, ...whole.get(jobId) })) : notFound
      }),
    cancelJob: (jobId) =>
      answer(`DELETE /jobs/${jobId}`, () => {
        const job = jobs.find((other) => other.jobId === jobId)
        if (!job) return notFound
        if (job.status !== 'queued' && job.status !== 'processing') {
          return failed({ kind: 'conflict', message: 'not in progress' })
        }
        return succeeded({ jobId, status: 'cancelled' as const })
      }),
  }

  return {
    api,
    requests,
    mostOpen: () => mostOpen,
    take: () => requests.splice(0),
    add(jobId: string, change: Partial<ServiceJob> = {}) {
      jobs = [aJob(jobId, { createdAt: new Date(time.clock()).toISOString(), ...change }), ...jobs]
    },
    change(jobId: string, change: Partial<ServiceJob>) {
      jobs = jobs.map((job) => (job.jobId === jobId ? { ...job, ...change } : job))
    },
    whole: (jobId: string, more: Partial<ServiceJob>) => void whole.set(jobId, more),
    /** Restarts the service, which loses all jobs. */
    restart() {
      jobs = []
    },
    remove(jobId: string) {
      jobs = jobs.filter((job) => job.jobId !== jobId)
    },
    fail(error: ServiceError | undefined) {
      trouble = error
    },
    /** Holds back responses until the returned function is called. */
    hold() {
      const held = Promise.withResolvers<void>()
      gate = held.promise
      return () => {
        gate = undefined
        held.resolve()
      }
    },
  }
}

export const aJob = (jobId: string, change: Partial<ServiceJob> = {}): ServiceJob => ({
  jobId,
  status: 'queued',
  type: 'batch',
  preset: 'Web 2048',
  progress: {},
  createdAt: '2026-11-17T08:00:00.000Z',
  startedAt: null,
  completedAt: null,
  ...change,
})

export const aTitle = (id: string, change: Partial<PartTitle> = {}): PartTitle => ({
  id: asRecordId(id),
  name: 'DSC_4821.heic',
  firstPath: '/photos/DSC_4821.heic',
  photos: 24,
  videos: 0,
  files: 24,
  preset: 'Web 2048',
  variations: 1,
  output: { kind: 'folder', path: '/out' },
  driveInput: null,
  place: onlyPlace({ id: asRecordId(id), photos: 24, videos: 0 }),
  origin: 'ours',
  createdAt: 0,
  ...change,
})

export const following = (id: string, jobId: string, change: Partial<NewlyTracked> = {}): NewlyTracked => ({
  title: aTitle(id),
  jobId,
  ...change,
})

import { renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../../src/shared/api/limits.ts'
import type { ServiceJob, SpoofJobRequest } from '../../../src/shared/api/resources.ts'
import { fingerprintOf } from '../../../src/node/file-fingerprint.ts'
import type { PlacementNotes } from '../../../src/node/placement-notes.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../../src/shared/service-error.ts'
import type { ServiceApi } from '../../../src/main/service-api/index.ts'
import { acceptedJob, queuedJob } from '../../job-samples.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Fault in the next `POST /jobs`. */
export type PostFault = 'lostBefore' | 'lostAfter' | 'slow' | 'serverError' | 'away' | 'late'

/** How a service writes times: its clock in ms ahead of ours, and whether it includes milliseconds. */
export type ServiceClock = { readonly aheadMs: number; readonly milliseconds: boolean }

/** Optional response fields that a service omits. */
export type Reticence =
  | 'nothing'
  /** File name and number of files. */
  | 'details'
  /** The outcome of a job in the list, but not in the job's own resource. */
  | 'listedOutcome'
  /** The outcome of a job everywhere. */
  | 'outcome'

export type ModelService = ReturnType<typeof createModelService>

/** The state that a service loses when its process dies, and the prefix of its job IDs. */
export type Mortal = {
  readonly prefix: string
  readonly notes: PlacementNotes
  /** Called between writing a result's note and giving it its final name. */
  readonly onPlacing: () => void
  readonly onPlaced: (name: string) => void
}

const REQUEST_TIMEOUT_MS = 30_000
const SLOW_CREATION_MS = 70_000

const lost = (reason: string): ServiceError => ({ kind: 'noAnswer', reason, message: reason })

const unused = () => Promise.reject(new Error('not part of the model'))

/**
 * In-memory Local Media Job service that follows the specification and records everything it processes.
 * @param out folder for results
 */
export function createModelService(time: VirtualTime, out: string, mortal?: Mortal) {
  const made: string[] = []
  const inputs = new Map<string, string>()
  const forgotten = new Set<string>()
  const faults: PostFault[] = []
  let jobs: ServiceJob[] = []
  let life = 1
  let ids = 0
  let clock: ServiceClock = { aheadMs: 0, milliseconds: true }
  let reticence: Reticence = 'nothing'
  let losesNext = false

  function timeText(): string {
    const text = new Date(Date.UTC(2026, 10, 20) + clock.aheadMs + time.now()).toISOString()
    return clock.milliseconds ? text : text.replace(/[.]\d+/, '')
  }

  function shown(job: ServiceJob, where: 'list' | 'alone'): ServiceJob {
    const { fileName, totalFiles, result, ...bare } = job
    const keepsDetails = reticence !== 'details' && fileName !== undefined && totalFiles !== undefined
    const keepsOutcome = reticence !== 'outcome' && !(reticence === 'listedOutcome' && where === 'list')
    return {
      ...bare,
      ...(keepsDetails ? { fileName, totalFiles } : {}),
      ...(keepsOutcome && result !== undefined ? { result } : {}),
    }
  }

  function create(request: SpoofJobRequest): string {
    const [path = ''] = request.files ?? [request.filePath ?? '']
    ids += 1
    const jobId = `${mortal?.prefix ?? ''}job-${life}-${ids}`
    const { preset, outputFolder: folder } = request
    mortal?.notes.jobAdded(jobId, { preset: preset ?? '', inputs: [path], variations: 1, folder })
    const job = queuedJob(jobId, [path], request.preset, timeText())
    made.push(job.fileName ?? '')
    inputs.set(jobId, path)
    jobs = [job, ...jobs]
    return jobId
  }

  /** Returns a delayed response to a client that may be gone by then. */
  const answering =
    (isAlive: () => boolean) =>
    <T>(answer: () => Result<T>, ms = 1): Promise<Result<T>> =>
      new Promise((resolve) => time.after(ms, () => (isAlive() ? resolve(answer()) : undefined)))

  function post(request: SpoofJobRequest, isAlive: () => boolean): ReturnType<ServiceApi['createJob']> {
    const later = answering(isAlive)
    const waiting = jobs.filter(({ status }) => status === 'queued').length
    if (waiting >= MAX_WAITING_JOBS) return later(() => failed({ kind: 'queueFull', message: 'full' }))
    switch (faults.shift()) {
      case 'lostBefore':
        return later(() => failed(lost('ECONNRESET')))
      case 'lostAfter':
        create(request)
        return later(() => failed(lost('ECONNRESET')))
      case 'late':
        time.after(3_000, () => void create(request))
        return later(() => failed(lost('ECONNRESET')))
      case 'slow':
        time.after(SLOW_CREATION_MS, () => void create(request))
        return later(() => failed(lost('timeout')), REQUEST_TIMEOUT_MS)
      case 'serverError':
        return later(() => failed({ kind: 'serverError', status: 500, message: '500' }))
      case 'away':
        return later(() => failed({ kind: 'notReachable', reason: 'ECONNREFUSED', message: 'away' }))
      case undefined: {
        const jobId = create(request)
        return later(() => succeeded(acceptedJob(jobId, 1, 0)))
      }
    }
  }

  function keepOnly(isKept: (job: ServiceJob) => boolean): void {
    for (const { fileName = '' } of jobs.filter((job) => !isKept(job))) forgotten.add(fileName)
    jobs = jobs.filter(isKept)
  }

  function place({ jobId, fileName = '' }: ServiceJob): void {
    const path = join(out, fileName)
    if (mortal === undefined) return writeFileSync(path, 'a result')
    const temporary = join(out, `.${jobId}`)
    writeFileSync(temporary, 'a result')
    const { ino, birthtimeNs, size } = statSync(temporary, { bigint: true })
    const input = inputs.get(jobId) ?? ''
    void mortal.notes.placing({
      jobId,
      input,
      variation: 1,
      preset: 'P',
      read: fingerprintOf(statSync(temporary)),
      path,
      inode: String(ino),
      born: String(birthtimeNs),
      size: Number(size),
      sha256: '',
      isCopy: false,
    })
    mortal.onPlacing()
    renameSync(temporary, path)
    mortal.onPlaced(fileName)
  }

  return {
    /** File names of every job ever created, regardless of its outcome. */
    made: made as readonly string[],
    /** File names of jobs that it no longer has. */
    forgotten: forgotten as ReadonlySet<string>,
    jobs: (): readonly ServiceJob[] => jobs,
    failNext: (fault: PostFault) => void faults.push(fault),
    /** Processes one waiting job, if any. @param fails whether it fails without a result */
    work(fails = false) {
      const next = jobs.findLast(({ status }) => status === 'queued')
      if (next === undefined) return
      const result = { outputPath: join(out, next.fileName ?? '') }
      if (!losesNext && !fails) place(next)
      losesNext = false
      const ended = { ...next, startedAt: timeText(), completedAt: timeText() }
      const done: ServiceJob = fails
        ? { ...ended, status: 'failed', error: 'no memory' }
        : { ...ended, status: 'completed', result }
      jobs = jobs.map((job) => (job === next ? done : job))
    },
    clear() {
      keepOnly(({ status }) => status === 'queued')
    },
    cleanUp() {
      const now = Date.parse(timeText())
      keepOnly(({ completedAt }) => completedAt === null || now - Date.parse(completedAt) < RETENTION_MS)
    },
    restart(renumber: boolean) {
      keepOnly(() => false)
      if (renumber) ids = 0
      else life += 1
    },
    setClock: (next: ServiceClock) => void (clock = next),
    leaveOut: (what: Reticence) => void (reticence = what),
    /** Makes the next job report a result path without a file. */
    loseNextResult: () => void (losesNext = true),
    api: (isAlive: () => boolean): ServiceApi => ({
      baseUrl: { origin: 'http://model', prefix: '/api', href: 'http://model/api' },
      createJob: (request) => post(request, isAlive),
      jobs: () =>
        answering(isAlive)(() => {
          const listed = jobs.slice(0, MAX_LISTED_JOBS).map((job) => shown(job, 'list'))
          return succeeded({ jobs: listed, queueLength: 0, processing: false })
        }),
      job: (jobId) =>
        answering(isAlive)(() => {
          const job = jobs.find((one) => one.jobId === jobId)
          return job === undefined
            ? failed({ kind: 'notFound', message: 'gone' })
            : succeeded(shown(job, 'alone'))
        }),
      health: unused,
      presets: unused,
      driveStatus: unused,
      upload: unused,
      cancelJob: (jobId) =>
        answering(isAlive)(() => {
          const found = jobs.find((one) => one.jobId === jobId && one.status === 'queued')
          if (found === undefined) return failed({ kind: 'notFound', message: 'ended' })
          jobs = jobs.map((job) =>
            job === found ? { ...job, status: 'cancelled', completedAt: timeText() } : job,
          )
          return succeeded({ jobId, status: 'cancelled' })
        }),
      clearJobs: unused,
      download: unused,
      close: () => Promise.resolve(),
    }),
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createTracker } from '../src/main/jobs/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../src/main/service-api/index.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { succeeded } from '../src/shared/service-error.ts'
import type { BenchRow } from './row.ts'

const WARM_UP = 300
const TICKS = 1_000
const HOUR_MS = 3_600_000

/** What a poll of 50 jobs costs this process: fetch, parse, merge and diff; and how many requests it makes. */
export async function benchPollTick(): Promise<BenchRow[]> {
  const service = spawn(process.execPath, [new URL('fifty-jobs-service.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: service.stdout })
    const baseUrl = parseBaseUrl(String((await once(lines, 'line'))[0]))
    if (!baseUrl.ok) throw new Error(baseUrl.why)
    const api = createServiceApi({ baseUrl: baseUrl.value, key: () => 'bench' })
    const busy = await cpuOfTicks(api)
    const idle = await requestsInAnIdleHour()
    await api.close()
    return [
      {
        name: 'poll tick with 50 jobs, CPU',
        measured: busy.cpu,
        unit: 'ms',
        budget: '≤ 1',
        met: busy.cpu <= 1,
        note: `${String(TICKS)} ticks, ${String(busy.updates)} of them with something new; a third is the socket’s and JSON.parse’s`,
      },
      {
        name: 'poll tick with 50 jobs, requests',
        measured: busy.requests,
        unit: 'a tick',
        budget: '1',
        met: busy.requests === 1,
      },
      {
        name: 'idle and hidden, requests',
        measured: idle / (HOUR_MS / 30_000),
        unit: 'in 30 s',
        budget: '≤ 1',
        met: idle <= HOUR_MS / 30_000,
      },
    ]
  } finally {
    service.stdin.end()
  }
}

/** Timers that run when they are told to: the next one at once, whatever its delay. */
function steppedTimers() {
  let next: { readonly ms: number; readonly run: () => void } | undefined
  return {
    after(this: void, ms: number, run: () => void) {
      const timer = { ms, run }
      next = timer
      return () => {
        if (next === timer) next = undefined
      }
    },
    /** @returns the ms that were waited for */
    step(this: void): number {
      const due = next
      next = undefined
      due?.run()
      return due?.ms ?? 0
    },
  }
}

async function cpuOfTicks(api: ServiceApi) {
  let requests = 0
  let updates = 0
  let ids = 0
  let listed = Promise.withResolvers<void>()
  const counted: ServiceApi = {
    ...api,
    jobs: (options) => {
      requests++
      return api.jobs(options)
    },
    job: (jobId, options) => {
      requests++
      return api.job(jobId, options)
    },
  }
  const timers = steppedTimers()
  const tracker = createTracker({
    api: () => counted,
    clock: () => Date.now(),
    monotonic: () => performance.now(),
    after: timers.after,
    random: () => 0.5,
    newId: () => asRecordId(`other-${String(++ids)}`),
    known: [],
    onUpdate: () => updates++,
    onList: () => listed.resolve(),
    onError: (error) => listed.reject(new Error(error.message)),
  })
  const tick = async () => {
    listed = Promise.withResolvers()
    timers.step()
    await listed.promise
    await Promise.resolve()
  }
  for (let count = 0; count < WARM_UP; count++) await tick()
  requests = 0
  updates = 0
  const before = process.cpuUsage()
  for (let count = 0; count < TICKS; count++) await tick()
  const { user, system } = process.cpuUsage(before)
  tracker.close()
  return { cpu: (user + system) / 1000 / TICKS, requests: requests / TICKS, updates }
}

const unused = () => Promise.reject(new Error('Not part of this measurement.'))

async function requestsInAnIdleHour(): Promise<number> {
  let requests = 0
  let now = 0
  let answered = Promise.withResolvers<void>()
  const timers = steppedTimers()
  const tracker = createTracker({
    api: () => ({
      baseUrl: { origin: '', prefix: '', href: '' },
      health: unused,
      presets: unused,
      driveStatus: unused,
      upload: unused,
      createJob: unused,
      job: unused,
      cancelJob: unused,
      clearJobs: unused,
      download: unused,
      close: () => Promise.resolve(),
      jobs: () => {
        requests++
        return Promise.resolve(succeeded({ jobs: [], queueLength: 0, processing: false }))
      },
    }),
    clock: () => now,
    monotonic: () => now,
    after: timers.after,
    random: () => 0.5,
    newId: () => asRecordId('none'),
    known: [],
    onUpdate: () => {},
    onList: () => answered.resolve(),
  })
  tracker.setVisible(false)
  timers.step()
  await answered.promise
  requests = 0
  for (;;) {
    await Promise.resolve()
    answered = Promise.withResolvers()
    now += timers.step()
    await answered.promise
    if (now >= HOUR_MS) break
  }
  tracker.close()
  return requests
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client } from 'undici'
import { createTracker } from '../src/main/jobs/index.ts'
import {
  type BaseUrl,
  createServiceApi,
  parseBaseUrl,
  type ServiceApi,
} from '../src/main/service-api/index.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { succeeded } from '../src/shared/service-error.ts'
import { cpuTime } from './measure.ts'
import { atMost, atMostTimes, type BenchRow } from './row.ts'

const WARM_UP = 300
const TICKS = 1_000
const HOUR_MS = 3_600_000

/** Measures the CPU time of polling 50 jobs (fetch, parse, merge and diff) and the number of requests. */
export async function benchPollTick(): Promise<BenchRow[]> {
  const busy = await ticksOf('changing')
  const quiet = await ticksOf('unchanged')
  const idle = await requestsInAnIdleHour()
  return [
    atMostTimes(
      'poll tick with 50 jobs, CPU time',
      busy.cpu,
      'ms',
      { floor: busy.floor, most: 2.4 },
      `mean of ${TICKS} ticks, ${busy.updates} of them with changes; only jobs that have changed are parsed; the floor is undici alone with JSON.parse`,
    ),
    atMostTimes(
      'poll tick with 50 jobs and the same response, CPU time',
      quiet.cpu,
      'ms',
      { floor: quiet.floor, most: 2.2 },
      `mean of ${TICKS} ticks, ${quiet.updates} of them with changes; the response is only compared and merged, because estimates depend on the time; the floor is undici alone with JSON.parse`,
    ),
    atMost('poll tick with 50 jobs, requests', busy.requests, 'per tick', 1),
    atMost('idle and hidden, requests', idle / (HOUR_MS / 30_000), 'in 30 s', 1),
  ]
}

async function ticksOf(responses: 'changing' | 'unchanged') {
  const path = new URL('fifty-jobs-service.ts', import.meta.url).pathname
  const service = spawn(process.execPath, [path, responses], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: service.stdout })
    const baseUrl = parseBaseUrl(String((await once(lines, 'line'))[0]))
    if (!baseUrl.ok) throw new Error(baseUrl.why)
    const before = await cpuOfBareTicks(baseUrl.value)
    const api = createServiceApi({ baseUrl: baseUrl.value, key: () => 'bench' })
    const measured = await cpuOfTicks(api)
    await api.close()
    return { ...measured, floor: (before + (await cpuOfBareTicks(baseUrl.value))) / 2 }
  } finally {
    service.stdin.end()
  }
}

/** Fake timers: `step` runs the next one immediately, regardless of its delay. */
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
    /** @returns the delay of the timer in ms */
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
    newId: () => asRecordId(`other-${++ids}`),
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
  const before = cpuTime()
  for (let count = 0; count < TICKS; count++) await tick()
  const cpu = (cpuTime() - before) / TICKS
  tracker.close()
  return { cpu, requests: requests / TICKS, updates }
}

/** Returns the CPU time in ms of only requesting and parsing the list. */
async function cpuOfBareTicks({ origin, prefix }: BaseUrl): Promise<number> {
  const client = new Client(origin)
  const tick = async () => {
    const { body } = await client.request({ method: 'GET', path: `${prefix}/jobs` })
    JSON.parse(await body.text())
  }
  for (let count = 0; count < WARM_UP; count++) await tick()
  const before = cpuTime()
  for (let count = 0; count < TICKS; count++) await tick()
  const cpu = (cpuTime() - before) / TICKS
  await client.close()
  return cpu
}

const unused = () => Promise.reject(new Error('Not used in this benchmark.'))

async function requestsInAnIdleHour(): Promise<number> {
  let requests = 0
  let now = 0
  let listed = Promise.withResolvers<void>()
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
    onList: () => listed.resolve(),
  })
  tracker.setVisible(false)
  timers.step()
  await listed.promise
  requests = 0
  for (;;) {
    await Promise.resolve()
    listed = Promise.withResolvers()
    now += timers.step()
    await listed.promise
    if (now >= HOUR_MS) break
  }
  tracker.close()
  return requests
}

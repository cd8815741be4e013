import { describe, expect, it } from 'vitest'
import {
  createTracker,
  type NewlyTracked,
  type JobEvent,
  type TrackerDeps,
} from '../../../src/main/jobs/index.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'
import { aTitle, following, settled, simulatedService, simulatedTime } from './simulated-service.ts'
import { HOUR_MS } from '../../../src/shared/durations.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const DOWN: ServiceError = { kind: 'serverError', status: 500, message: 'broken' }

function start(known: readonly NewlyTracked[] = [], change: Partial<TrackerDeps> = {}) {
  const time = simulatedTime()
  const service = simulatedService(time)
  const events: JobEvent[] = []
  const errors: ServiceError[] = []
  let updates = 0
  let ids = 0
  const tracker = createTracker({
    api: () => service.api,
    clock: time.clock,
    monotonic: time.monotonic,
    after: time.after,
    random: () => 1,
    newId: () => asRecordId(`foreign-${++ids}`),
    known,
    onUpdate: (update) => {
      updates++
      events.push(...update.events)
    },
    onError: (error) => errors.push(error),
    ...change,
  })
  /** Returns the requests of the next ms. */
  const requestsIn = async (ms: number) => {
    service.take()
    await time.pass(ms)
    return service.take()
  }
  return { time, service, tracker, events, errors, requestsIn, updates: () => updates }
}

/** Follows a job with this state for a while. */
async function followed(job: Partial<ServiceJob> = {}, ms = 0, change: Partial<NewlyTracked> = {}) {
  const started = start([following('r', 'a', change)])
  started.service.add('a', job)
  await started.time.pass(ms)
  return started
}

/** Starts a tracker with two services; `reset` switches to the second one. */
function startWithTwo() {
  const services = [simulatedService(simulatedTime()), simulatedService(simulatedTime())] as const
  services[0].add('old')
  services[1].add('new')
  let current = 0
  const started = start([], { api: () => services[current === 0 ? 0 : 1].api })
  const { tracker } = started
  const reset = (known: readonly NewlyTracked[]) => {
    current = 1
    tracker.reset(known)
  }
  return { ...started, service: services[0], tracker: { ...tracker, reset } }
}

/** Counts the requests in an hour while the service is down. */
const requestsWhileDown = async (random: number) => {
  const { time, service } = start([], { random: () => random })
  service.fail(DOWN)
  await time.pass(HOUR_MS)
  return service.take().length
}

const outcomes = (events: readonly JobEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'moved' && event.outcome ? [`${event.id}: ${event.outcome.kind}`] : [],
  )
const moves = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.kind === 'moved' ? [`${event.from} → ${event.to}`] : []))

describe('the service is polled', () => {
  it('immediately when the user opens the window', async () => {
    const { time, service, tracker } = start()
    tracker.setVisible(false)
    await time.pass(10_000)
    service.take()
    tracker.setVisible(true)
    await time.pass(1_000)
    expect(service.take()).toHaveLength(1)
    tracker.setVisible(true)
    await time.pass(1_000)
    expect(service.take()).toHaveLength(0)
  })

  it('not after the tracker is closed, which leaves no timer and aborts pending requests', async () => {
    const { time, service, tracker, updates } = await followed()
    const before = updates()
    service.change('a', { status: 'processing' })
    const release = service.hold()
    await time.pass(2_000)
    tracker.close()
    service.take()
    release()
    await time.pass(HOUR_MS)
    expect(updates()).toBe(before)
    expect(service.take()).toEqual([])
    expect(time.timers()).toBe(0)
  })

  it('every 30 s while no job is running and the window is hidden', async () => {
    const { time, tracker, requestsIn } = start()
    tracker.setVisible(false)
    await time.pass(30_000)
    expect(await requestsIn(HOUR_MS)).toHaveLength(HOUR_MS / 30_000)
  })

  it('every two seconds while a job is in progress, with one request for all jobs', async () => {
    const { time, service, tracker, requestsIn } = start()
    for (let job = 0; job < 11; job++) {
      service.add(`job-${job}`)
      tracker.follow(following(`r${job}`, `job-${job}`))
    }
    await time.pass(2_000)
    expect(await requestsIn(60_000)).toEqual(Array.from({ length: 30 }, () => 'GET /jobs'))
  })

  it.each([
    [false, 1_700, 3],
    [true, 1_300, 6],
  ])('soon after a submission, with the built-in service: %s', async (builtIn, within, polls) => {
    const { time, service, tracker } = start([], { isBuiltIn: () => builtIn })
    await time.pass(1_000)
    service.take()
    service.add('a')
    tracker.follow(following('r', 'a'))
    await time.pass(within)
    expect(service.take()).toHaveLength(polls)
  })

  it('every two seconds during an upload to a drive', async () => {
    const { time, service, tracker, requestsIn } = start()
    service.add('a', { status: 'completed', drive: { outputFolderId: 'folder' } })
    tracker.follow(
      following('r', 'a', { title: aTitle('r', { output: { kind: 'drive', folderId: 'folder' } }) }),
    )
    await time.pass(2_000)
    expect(await requestsIn(20_000)).toHaveLength(10)
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'uploading' })
  })

  it('with one more request for each followed job that has left the list, until that job has ended', async () => {
    const { time, service, tracker, requestsIn } = start([following('r', 'old')])
    service.add('old')
    for (let job = 0; job < 60; job++) service.add(`new-${job}`, { status: 'completed' })
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs', 'GET /jobs/old'])
    expect(tracker.jobs()).toHaveLength(1)
    service.change('old', { status: 'completed', results: [{ file: 'a.jpg', outputPath: '/out/a.jpg' }] })
    await time.pass(2_000)
    expect(await requestsIn(30_000)).toEqual(['GET /jobs'])
  })

  it('with one more request for an ended job whose outcome is not in the list', async () => {
    const { service, tracker, events, requestsIn } = await followed({ status: 'processing' })
    service.change('a', { status: 'completed', progress: { completedFiles: 1 } })
    service.whole('a', { results: [{ file: 'a.jpg', outputPath: '/out/a.jpg' }] })
    expect(await requestsIn(2_000)).toEqual(['GET /jobs', 'GET /jobs/a'])
    expect(events.findLast((event) => event.kind === 'moved')).toMatchObject({
      outcome: { kind: 'done', results: 1 },
    })
    expect(tracker.jobs()).toEqual([])
  })

  it('seldom until a window is shown', async () => {
    const { time, service, tracker, requestsIn } = start()
    await time.pass(0)
    expect(await requestsIn(29_000)).toEqual([])
    await time.pass(1_000)
    expect(service.take()).toEqual(['GET /jobs'])
    tracker.setVisible(true)
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
    await time.pass(10_000)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('not at all while the computer sleeps, and immediately when it wakes', async () => {
    const { time, service, tracker } = await followed({}, 4_000)
    tracker.suspend()
    service.take()
    await time.pass(8 * HOUR_MS)
    tracker.pollSoon()
    await time.pass(HOUR_MS)
    expect(service.take()).toEqual([])
    tracker.resume()
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('at growing intervals while the service is down, and normally when it is back', async () => {
    const { time, service, errors, requestsIn } = start([following('r', 'a')])
    service.add('a')
    service.fail(DOWN)
    await time.pass(HOUR_MS)
    // Polls after 0, 4, 12, 28 and 60 s, then once a minute.
    expect(service.take()).toHaveLength(5 + Math.floor((3600 - 60) / 60))
    expect(errors).toHaveLength(64)
    service.fail(undefined)
    await time.pass(60_000)
    expect(await requestsIn(10_000)).toHaveLength(5)
  })

  it('at different times by different clients while it is down', async () => {
    expect(await requestsWhileDown(0)).toBeGreaterThan(await requestsWhileDown(0.5))
    expect(await requestsWhileDown(0.5)).toBeGreaterThan(await requestsWhileDown(1))
  })

  it('never concurrently, however slow the responses are and however often a poll is requested', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    service.add('a')
    const letGo = service.hold()
    for (let times = 0; times < 20; times++) {
      tracker.pollSoon()
      await time.pass(5_000)
    }
    expect(service.requests).toEqual(['GET /jobs'])
    letGo()
    await time.pass(0)
    expect(service.requests).toEqual(['GET /jobs', 'GET /jobs'])
    expect(service.mostOpen()).toBe(1)
  })

  it('no longer once it has refused the key, until there is a new key', async () => {
    const { time, service, tracker, errors } = start([following('r', 'a')])
    service.add('a')
    service.fail({ kind: 'unauthorized', reason: 'rejected', message: 'no' })
    await time.pass(HOUR_MS)
    tracker.pollSoon()
    await time.pass(HOUR_MS)
    expect(service.take()).toEqual(['GET /jobs'])
    expect(errors).toHaveLength(1)
    service.fail(undefined)
    tracker.keyChanged()
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('as usual if it has refused only the previous key and there is already a new one', async () => {
    const [old, now] = [simulatedService(simulatedTime()), simulatedService(simulatedTime())]
    let isChanged = false
    const { time, tracker, errors } = start([], { api: () => (isChanged ? now.api : old.api) })
    const letGo = old.hold()
    old.fail({ kind: 'unauthorized', reason: 'rejected', message: 'no' })
    await time.pass(0)
    isChanged = true
    tracker.keyChanged()
    letGo()
    await time.pass(HOUR_MS)
    expect(errors).toEqual([])
    expect(now.take().length).toBeGreaterThan(1)
  })

  it('not until it is in use', async () => {
    const inUse = simulatedService(simulatedTime())
    let isKnown = false
    const { time, tracker } = start([], { api: () => (isKnown ? inUse.api : undefined) })
    await time.pass(HOUR_MS)
    expect(inUse.take()).toEqual([])
    isKnown = true
    tracker.pollSoon()
    await time.pass(0)
    expect(inUse.take()).toEqual(['GET /jobs'])
  })

  itInLongSuite('only as often as needed over a day with 40 jobs', async () => {
    const { time, service, tracker, events } = start()
    tracker.setVisible(false)
    let minutesBusy = 0
    for (let quarter = 0; quarter < 96; quarter++) {
      const busy = quarter >= 32 && quarter < 72
      if (busy) {
        const jobId = `job-${quarter}`
        service.add(jobId)
        tracker.follow(following(jobId, jobId))
        for (let minute = 1; minute <= 5; minute++) {
          service.change(jobId, { status: 'processing', progress: { totalProgress: minute * 16 } })
          await time.pass(60_000)
        }
        minutesBusy += 5
        service.change(jobId, { status: 'completed', results: [{ file: 'a', outputPath: '/out/a' }] })
        await time.pass(10 * 60_000)
      } else await time.pass(15 * 60_000)
    }
    expect(outcomes(events)).toHaveLength(40)
    const requests = service.take()
    expect(new Set(requests)).toEqual(new Set(['GET /jobs']))
    const idleMinutes = 24 * 60 - minutesBusy
    expect(requests.length).toBeLessThanOrEqual(minutesBusy * 30 + idleMinutes * 2 + 3 * 40)
    expect(requests.length).toBeGreaterThanOrEqual(minutesBusy * 30 + idleMinutes * 2 - 3 * 40)
  })
})

describe('the state of a job', () => {
  it('moves from queued to done, with one outcome', async () => {
    const { time, service, tracker, events } = start()
    service.add('a')
    tracker.follow(following('r', 'a'))
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'queued', position: 1 })
    await time.pass(2_000)
    service.change('a', { status: 'processing' })
    await time.pass(4_000)
    service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/out/x' }] })
    await time.pass(60_000)
    expect(moves(events)).toEqual(['null → queued', 'queued → processing', 'processing → ended'])
    expect(outcomes(events)).toEqual(['r: done'])
    expect(tracker.jobs()).toEqual([])
  })

  it('is not done before its upload to a drive has finished', async () => {
    const { time, service, events } = start([
      following('r', 'a', { title: aTitle('r', { output: { kind: 'drive', folderId: 'f' } }) }),
    ])
    service.add('a', { status: 'completed', results: [{ file: 'x', outputPath: '/t/x' }] })
    await time.pass(60_000)
    expect(outcomes(events)).toEqual([])
    service.change('a', {
      drive: { uploadResult: { uploaded: 1, errors: [{ name: 'y', error: 'quota' }] } },
    })
    await time.pass(60_000)
    expect(moves(events)).toEqual(['null → uploading', 'uploading → ended'])
    expect(outcomes(events)).toEqual(['r: problems'])
  })

  it('shows problems if the service refused some of its files at submission', async () => {
    const { time, service, events } = start([
      following('r', 'a', { skipped: [{ file: 'b.txt', error: 'unsupported' }] }),
    ])
    service.add('a', { status: 'completed', results: [{ file: 'x', outputPath: '/out/x' }] })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: problems'])
  })

  it('is forgotten if the service restarts before the job ends', async () => {
    const { time, service, tracker, events } = await followed({ status: 'processing' }, 2_000)
    service.restart()
    await time.pass(60_000)
    expect(outcomes(events)).toEqual(['r: forgotten'])
    expect(tracker.jobs()).toEqual([])
    expect(service.requests.filter((request) => request === 'GET /jobs/a')).toHaveLength(1)
  })

  it('is not forgotten because of a failed request', async () => {
    const { time, service, tracker, events } = await followed({}, 2_000)
    service.fail(DOWN)
    await time.pass(10 * 60_000)
    service.fail(undefined)
    await time.pass(60_000)
    expect(outcomes(events)).toEqual([])
    expect(tracker.jobs()).toHaveLength(1)
  })

  it('is not forgotten if the job was accepted while an older list was being fetched', async () => {
    const { time, service, tracker, events } = start()
    const letGo = service.hold()
    await time.pass(0)
    service.add('a')
    tracker.follow(following('r', 'a'))
    letGo()
    await time.pass(2_000)
    expect(outcomes(events)).toEqual([])
    expect(tracker.jobs().map(({ id }) => id)).toEqual(['r'])
  })

  it('belongs to another job if a restarted service has reused the id', async () => {
    const { time, service, tracker, events } = await followed({ status: 'processing' }, 2_000)
    service.restart()
    await time.pass(60_000 - 2_000)
    service.restart()
    service.add('a', { fileName: 'else.jpg' })
    await time.pass(60_000)
    expect(outcomes(events)).toEqual(['r: forgotten'])
    expect(tracker.jobs().map(({ id, name, origin }) => [id, name, origin])).toEqual([
      ['foreign-1', 'else.jpg', 'other'],
    ])
  })

  it('belongs to another job if the id was reused while the app was off', async () => {
    const { time, service, tracker, events } = await followed({ status: 'processing' }, 2_000)
    tracker.suspend()
    await time.pass(HOUR_MS)
    service.restart()
    service.add('a', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    tracker.resume()
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: forgotten', 'foreign-1: done'])
  })

  it.each([
    ['another preset', { preset: 'Other' }, HOUR_MS],
    ['another file', { fileName: 'else.jpg' }, HOUR_MS],
    ['another file', { fileName: 'else.jpg' }, 0],
    ['more files than were sent', { totalFiles: 4 }, HOUR_MS],
  ])(
    'belongs to another job if it has %s than the one accepted earlier: %j, %i ms ago',
    async (_, said, ago) => {
      const acceptedAt = simulatedTime().clock() - ago
      const inputs = ['/photos/one.jpg', '/photos/two.jpg']
      const { events } = await followed({ status: 'completed', results: [], ...said }, 2_000, {
        acceptedAt,
        inputs,
      })
      expect(outcomes(events)).toEqual(['r: forgotten'])
    },
  )

  it.each([
    ['an hour ahead', '2026-11-17T09:00:00.000Z'],
    ['an hour behind', '2026-11-17T07:00:00.000Z'],
    ['at the start of its epoch', '1970-01-01T00:00:03.000Z'],
    ['without a zone', '2026-11-17 12:00:00'],
    ['in an unknown format', 'this morning'],
  ])('belongs to the accepted job, with the service’s clock %s', async (_, createdAt) => {
    for (const ago of [0, HOUR_MS]) {
      const acceptedAt = simulatedTime().clock() - ago
      const { service, events, time } = await followed({ createdAt }, 2_000, { acceptedAt })
      service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
      await time.pass(2_000)
      expect(outcomes(events)).toEqual(['r: done'])
    }
  })

  it('has start and end times based on our clock, regardless of the service’s clock', async () => {
    const acceptedAt = simulatedTime().clock() - 60_000
    const { service, events, time } = start([following('r', 'job-1', { acceptedAt })])
    service.add('job-1', {
      status: 'completed',
      createdAt: '1970-01-01T00:00:00.000Z',
      startedAt: '1970-01-01T00:00:10.000Z',
      completedAt: '1970-01-01T00:00:40.000Z',
      results: [{ file: 'x', outputPath: '/x' }],
    })
    await time.pass(2_000)
    expect(events).toMatchObject([{ startedAt: acceptedAt + 10_000, endedAt: acceptedAt + 40_000 }])
  })

  it('belongs to another job if the id was reused within a second and the job’s details differ', async () => {
    for (const [createdAt, again, outcome] of [
      ['2026-11-17T08:00:00.100Z', '2026-11-17T08:00:00.900Z', 'r: forgotten'],
      ['2026-11-17T08:00:00Z', '2026-11-17T08:00:00Z', 'r: forgotten'],
    ] as const) {
      const { service, events, time } = await followed({ createdAt, fileName: 'one.jpg' }, 2_000, {
        inputs: ['/photos/one.jpg'],
      })
      service.restart()
      service.add('a', { createdAt: again, fileName: 'two.jpg' })
      await time.pass(2_000)
      expect(outcomes(events)).toEqual([outcome])
    }
  })

  it('belongs to the same job even if the service names presets differently', async () => {
    const acceptedAt = simulatedTime().clock()
    const { service, events, time } = await followed(
      { createdAt: '2026-11-17T08:00:00Z', preset: 'WEB-2048' },
      60_000,
      { acceptedAt },
    )
    service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: done'])
  })

  it('belongs to only one submission if the service gave two the same id', async () => {
    const acceptedAt = simulatedTime().clock()
    const { service, events, time } = start([
      following('r', 'job-1', { acceptedAt: acceptedAt - 5_000 }),
      following('s', 'job-1', { acceptedAt }),
    ])
    service.add('job-1', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: forgotten', 's: done'])
  })

  it('keeps its start time and remaining time when the wall clock changes', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    service.add('a', { status: 'processing', startedAt: new Date(time.clock()).toISOString() })
    for (let second = 2; second <= 20; second += 2) {
      service.change('a', { progress: { totalProgress: second } })
      await time.pass(2_000)
    }
    const before = tracker.jobs()[0]
    time.jump(5 * HOUR_MS)
    service.change('a', { progress: { totalProgress: 22 } })
    await time.pass(2_000)
    const after = tracker.jobs()[0]
    expect(before?.progress.timeLeft).toBeGreaterThan(70_000)
    expect(before?.progress.timeLeft).toBeLessThan(90_000)
    expect(after?.progress.timeLeft).toBeLessThanOrEqual(before?.progress.timeLeft ?? 0)
    expect(time.clock() - (after?.startedAt ?? 0)).toBeLessThan(25_000)
  })

  it('causes no change or notification if nothing is new', async () => {
    const { time, tracker, updates } = await followed({ status: 'processing' }, 4_000)
    const [jobs, told] = [tracker.jobs(), updates()]
    await time.pass(20_000)
    expect(tracker.jobs()).toBe(jobs)
    expect(updates()).toBe(told)
  })
})

describe('jobs of other clients', () => {
  it('are followed and marked', async () => {
    const { time, service, tracker, events } = start()
    service.add('a', { status: 'processing', fileName: 'clip.mov', type: 'single' })
    await time.pass(0)
    expect(tracker.jobs()[0]).toMatchObject({
      origin: 'other',
      name: 'clip.mov',
      videos: 1,
      photos: 0,
      files: 1,
    })
    service.change('a', { status: 'failed', error: 'no space' })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['foreign-1: failed'])
  })

  it('are ignored if they ended before the app started, but reported if they appeared and ended between two readings', async () => {
    const { time, service, events } = start()
    service.add('before', { status: 'completed' })
    await time.pass(0)
    service.add('between', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    await time.pass(60_000)
    expect(events.map((event) => event.jobId)).toEqual(['between'])
  })

  it('don’t include a job that may belong to a submission whose response is pending', async () => {
    const spokenFor = new Set(['a'])
    const { time, service, tracker, events } = start([], {
      mayBeOurs: ({ jobId }: ServiceJob) => spokenFor.has(jobId),
    })
    service.add('a')
    await time.pass(10_000)
    expect(tracker.jobs()).toEqual([])
    spokenFor.clear()
    tracker.follow(following('r', 'a'))
    await time.pass(10_000)
    expect(tracker.jobs().map(({ id }) => id)).toEqual(['r'])
    expect(moves(events)).toEqual(['null → queued'])
  })

  it('are marked as ours once the user identifies them', async () => {
    const { time, service, tracker, events } = start()
    service.add('a')
    await time.pass(0)
    tracker.follow(following('r', 'a'))
    await time.pass(2_000)
    expect(events.at(-1)).toEqual({ kind: 'adopted', id: 'r', foreignId: 'foreign-1', jobId: 'a' })
    expect(tracker.jobs().map(({ id, origin }) => [id, origin])).toEqual([['r', 'ours']])
  })

  it('are recorded as ours exactly once, even if the first attempt fails', async () => {
    let isFull = true
    const written: string[] = []
    const { time, service, tracker } = start([], {
      record({ kind, jobId }) {
        if (kind === 'adopted' && isFull) throw new Error('disk full')
        written.push(`${kind} ${jobId}`)
      },
    })
    service.add('a')
    await time.pass(0)
    tracker.follow(following('r', 'a'))
    await time.pass(2_000)
    expect(written).not.toContain('adopted a')
    isFull = false
    await time.pass(2_000)
    expect(written.filter((event) => event === 'adopted a')).toHaveLength(1)
    await time.pass(10_000)
    expect(written.filter((event) => event === 'adopted a')).toHaveLength(1)
  })
})

describe('canceling', () => {
  it('is shown as requested until the service is read again', async () => {
    const { time, service, tracker, events } = await followed({ status: 'processing' })
    expect(await tracker.cancel(asRecordId('r'))).toEqual({ ok: true, value: undefined })
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'cancelling' })
    await time.pass(4_000)
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'cancelling' })
    expect(outcomes(events)).toEqual([])
    service.change('a', { status: 'cancelled' })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: cancelled'])
  })

  it('doesn’t affect other jobs', async () => {
    const { time, service, tracker } = start([following('r', 'a'), following('s', 'b')])
    for (const jobId of ['a', 'b']) service.add(jobId, { status: 'processing' })
    await time.pass(0)
    await tracker.cancel(asRecordId('r'))
    expect(Object.fromEntries(tracker.jobs().map(({ id, stage }) => [id, stage.kind]))).toEqual({
      r: 'cancelling',
      s: 'processing',
    })
  })

  it('too late leaves the job with its actual outcome', async () => {
    const { time, service, tracker, events } = await followed({ status: 'processing' })
    service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    const asked = await tracker.cancel(asRecordId('r'))
    expect(asked.ok).toBe(false)
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: done'])
  })

  it('is reverted if the service could not be reached', async () => {
    const { service, tracker } = await followed({ status: 'processing' })
    service.fail(DOWN)
    await tracker.cancel(asRecordId('r'))
    await settled()
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'processing' })
  })
})

describe('the list of jobs', () => {
  it('starts with running jobs, followed by jobs that upload to a drive, and then by waiting jobs', async () => {
    const toDrive = aTitle('uploading', { output: { kind: 'drive', folderId: 'f' }, createdAt: 9 })
    const { time, service, tracker } = start([
      following('waiting', 'a'),
      following('cancelled', 'b'),
      following('uploading', 'c', { title: toDrive }),
      following('working', 'd'),
    ])
    service.add('a')
    service.add('b')
    service.add('c', { status: 'completed', results: [{ file: 'x', outputPath: '/t/x' }] })
    service.add('d', { status: 'processing' })
    await time.pass(0)
    await tracker.cancel(asRecordId('cancelled'))
    expect(tracker.jobs().map(({ id }) => id)).toEqual(['working', 'uploading', 'cancelled', 'waiting'])
  })

  it.each([
    ['2026-11-17T08:00:00.000Z', '2026-11-17T09:00:00+01:00'],
    ['1794988800', '1794988800000'],
  ])('keeps a job whose creation time is written differently: %s, %s', async (one, other) => {
    const { time, service, tracker, events } = await followed({ createdAt: one }, 2_000)
    service.change('a', { createdAt: other })
    await time.pass(60_000)
    expect(outcomes(events)).toEqual([])
    expect(tracker.jobs().map(({ id }) => id)).toEqual(['r'])
  })

  it('shows the start times that the service reports, unless they are more than a week ago', async () => {
    for (const [hours, believed] of [
      [167, true],
      [169, false],
    ] as const) {
      const { time, service, tracker } = start([following('r', 'a')])
      const said = time.clock() - hours * HOUR_MS
      service.add('a', { status: 'processing', startedAt: new Date(said).toISOString() })
      await time.pass(0)
      expect(tracker.jobs()[0]?.startedAt).toBe(believed ? said : time.clock())
    }
  })
})

describe('changing to another service', () => {
  it('polls the new service immediately, even while a response from the old one is pending', async () => {
    const { time, service: before, tracker } = startWithTwo()
    const letGo = before.hold()
    await time.pass(2_000)
    tracker.reset([])
    await time.pass(0)
    expect(tracker.jobs().map(({ jobId }) => jobId)).toEqual(['new'])
    letGo()
    await time.pass(0)
    expect(tracker.jobs().map(({ jobId }) => jobId)).toEqual(['new'])
  })

  it('reports nothing about the old service’s jobs, and ignores its late responses', async () => {
    const { time, service, tracker, events } = await followed({}, 2_000)
    const letGo = service.hold()
    await time.pass(2_000)
    const told = events.length
    tracker.reset([])
    letGo()
    service.restart()
    await time.pass(10_000)
    expect(tracker.jobs()).toEqual([])
    expect(events).toHaveLength(told)
  })
})

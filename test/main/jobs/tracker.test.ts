import { describe, expect, it } from 'vitest'
import {
  createTracker,
  type Followed,
  type JobEvent,
  type TrackerDeps,
} from '../../../src/main/jobs/index.ts'
import type { Job } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'
import { aTitle, following, settled, simulatedService, simulatedTime } from './simulated-service.ts'

const DOWN: ServiceError = { kind: 'serverError', status: 500, message: 'broken' }
const HOUR = 3_600_000

function start(known: readonly Followed[] = [], change: Partial<TrackerDeps> = {}) {
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
  return { time, service, tracker, events, errors, updates: () => updates }
}

/** The service that is asked is the second one from the next `reset` on. */
function startWithTwo() {
  const services = [simulatedService(simulatedTime()), simulatedService(simulatedTime())] as const
  services[0].add('old')
  services[1].add('new')
  let current = 0
  const started = start([], { api: () => services[current === 0 ? 0 : 1].api })
  const { tracker } = started
  const reset = (known: readonly Followed[]) => {
    current = 1
    tracker.reset(known)
  }
  return { ...started, service: services[0], tracker: { ...tracker, reset } }
}

/** Requests in an hour in which the service is down. */
const askedWhileDown = async (random: number) => {
  const { time, service } = start([], { random: () => random })
  service.fail(DOWN)
  await time.pass(HOUR)
  return service.take().length
}

const outcomes = (events: readonly JobEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'moved' && event.outcome ? [`${event.id}: ${event.outcome.kind}`] : [],
  )
const moves = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.kind === 'moved' ? [`${event.from} → ${event.to}`] : []))

describe('how often the service is asked', () => {
  it('at once when somebody begins to look', async () => {
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

  it('not once it is closed, and what is asked then is given up', async () => {
    const { time, service, tracker, updates } = start([following('r', 'a')])
    service.add('a')
    await time.pass(0)
    const before = updates()
    service.change('a', { status: 'processing' })
    const release = service.hold()
    await time.pass(2_000)
    tracker.close()
    release()
    await time.pass(HOUR)
    expect(updates()).toBe(before)
  })

  it('once in 30 s while nothing is under way and nobody looks', async () => {
    const { time, service, tracker } = start()
    tracker.setVisible(false)
    await time.pass(30_000)
    service.take()
    await time.pass(HOUR)
    expect(service.take()).toHaveLength(HOUR / 30_000)
  })

  it('every two seconds while a job is in progress, with one request for all jobs', async () => {
    const { time, service, tracker } = start()
    for (let job = 0; job < 11; job++) {
      service.add(`job-${job}`)
      tracker.follow(following(`r${job}`, `job-${job}`))
    }
    await time.pass(2_000)
    service.take()
    await time.pass(60_000)
    expect(service.take()).toEqual(Array.from({ length: 30 }, () => 'GET /jobs'))
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

  it('every two seconds while an upload to a drive goes on', async () => {
    const { time, service, tracker } = start()
    service.add('a', { status: 'completed', drive: { outputFolderId: 'folder' } })
    tracker.follow(
      following('r', 'a', { title: aTitle('r', { output: { kind: 'drive', folderId: 'folder' } }) }),
    )
    await time.pass(2_000)
    service.take()
    await time.pass(20_000)
    expect(service.take()).toHaveLength(10)
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'uploading' })
  })

  it('one request more for each watched job that has left the list, and none for a job that is over', async () => {
    const { time, service, tracker } = start([following('r', 'old')])
    service.add('old')
    for (let job = 0; job < 60; job++) service.add(`new-${job}`, { status: 'completed' })
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs', 'GET /jobs/old'])
    expect(tracker.jobs()).toHaveLength(1)
    service.change('old', { status: 'completed', results: [{ file: 'a.jpg', outputPath: '/out/a.jpg' }] })
    await time.pass(2_000)
    service.take()
    await time.pass(10_000)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('one request more for a job that is over and whose outcome the list leaves out', async () => {
    const { time, service, tracker, events } = start([following('r', 'large')])
    service.add('large', { status: 'processing' })
    await time.pass(0)
    service.change('large', { status: 'completed', progress: { completedFiles: 1 } })
    service.whole('large', { results: [{ file: 'a.jpg', outputPath: '/out/a.jpg' }] })
    service.take()
    await time.pass(2_000)
    expect(service.take()).toEqual(['GET /jobs', 'GET /jobs/large'])
    expect(events.findLast((event) => event.kind === 'moved')).toMatchObject({
      outcome: { kind: 'done', results: 1 },
    })
    expect(tracker.jobs()).toEqual([])
  })

  it('not at all while the computer sleeps, and at once when it wakes', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    service.add('a')
    await time.pass(4_000)
    tracker.suspend()
    service.take()
    await time.pass(8 * HOUR)
    tracker.pollSoon()
    await time.pass(HOUR)
    expect(service.take()).toEqual([])
    tracker.resume()
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('less and less while the service is down, and as before when it is back', async () => {
    const { time, service, errors } = start([following('r', 'a')])
    service.add('a')
    service.fail(DOWN)
    await time.pass(HOUR)
    // 0, 4, 12, 28, 60 s, then once a minute.
    expect(service.take()).toHaveLength(5 + Math.floor((3600 - 60) / 60))
    expect(errors).toHaveLength(64)
    service.fail(undefined)
    await time.pass(60_000)
    service.take()
    await time.pass(10_000)
    expect(service.take()).toHaveLength(5)
  })

  it('at different moments by different clients of a service that is down', async () => {
    expect(await askedWhileDown(0)).toBeGreaterThan(await askedWhileDown(0.5))
    expect(await askedWhileDown(0.5)).toBeGreaterThan(await askedWhileDown(1))
  })

  it('never twice at the same time, however slow the answers and however often it is told to hurry', async () => {
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

  it('no more after the key was refused, until there is another one', async () => {
    const { time, service, tracker, errors } = start([following('r', 'a')])
    service.add('a')
    service.fail({ kind: 'unauthorized', reason: 'rejected', message: 'no' })
    await time.pass(HOUR)
    tracker.pollSoon()
    await time.pass(HOUR)
    expect(service.take()).toEqual(['GET /jobs'])
    expect(errors).toHaveLength(1)
    service.fail(undefined)
    tracker.keyChanged()
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
  })

  it('that the old key was refused, when there is another one already, stops nothing', async () => {
    const [old, now] = [simulatedService(simulatedTime()), simulatedService(simulatedTime())]
    let isChanged = false
    const { time, tracker, errors } = start([], { api: () => (isChanged ? now.api : old.api) })
    const letGo = old.hold()
    old.fail({ kind: 'unauthorized', reason: 'rejected', message: 'no' })
    await time.pass(0)
    isChanged = true
    tracker.keyChanged()
    letGo()
    await time.pass(HOUR)
    expect(errors).toEqual([])
    expect(now.take().length).toBeGreaterThan(1)
  })

  it('never while there is no service, and soon when there is one', async () => {
    let known = false
    const at = start([], {})
    at.tracker.close()
    const { time, service, tracker } = at
    const second = createTracker({
      api: () => (known ? service.api : undefined),
      clock: time.clock,
      monotonic: time.monotonic,
      after: time.after,
      random: () => 1,
      newId: () => asRecordId('x'),
      known: [],
      onUpdate: () => {},
    })
    service.take()
    await time.pass(HOUR)
    expect(service.take()).toEqual([])
    known = true
    second.pollSoon()
    await time.pass(0)
    expect(service.take()).toEqual(['GET /jobs'])
    expect(tracker.jobs()).toEqual([])
  })

  it('never after it was closed, and no timer is left', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    await time.pass(2_000)
    tracker.close()
    service.take()
    await time.pass(HOUR)
    expect(service.take()).toEqual([])
    expect(time.timers()).toBe(0)
  })

  it('in a day of use with 40 jobs, as often as the work needs', async () => {
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

describe('what is made of a job', () => {
  it('moves from queued to done, with one outcome', async () => {
    const { time, service, tracker, events } = start()
    service.add('a')
    tracker.follow(following('r', 'a', { position: 3 }))
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'queued', position: 3 })
    await time.pass(2_000)
    service.change('a', { status: 'processing' })
    await time.pass(4_000)
    service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/out/x' }] })
    await time.pass(60_000)
    expect(moves(events)).toEqual(['null → queued', 'queued → processing', 'processing → over'])
    expect(outcomes(events)).toEqual(['r: done'])
    expect(tracker.jobs()).toEqual([])
  })

  it('is not done before its upload to a drive is over', async () => {
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
    expect(moves(events)).toEqual(['null → uploading', 'uploading → over'])
    expect(outcomes(events)).toEqual(['r: problems'])
  })

  it('has problems when the service had refused some of its files at the start', async () => {
    const { time, service, events } = start([
      following('r', 'a', { skipped: [{ file: 'b.txt', error: 'unsupported' }] }),
    ])
    service.add('a', { status: 'completed', results: [{ file: 'x', outputPath: '/out/x' }] })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: problems'])
  })

  it('is forgotten when the service restarts before it is over', async () => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a', { status: 'processing' })
    await time.pass(2_000)
    service.restart()
    await time.pass(60_000)
    expect(outcomes(events)).toEqual(['r: forgotten'])
    expect(tracker.jobs()).toEqual([])
    expect(service.requests.filter((request) => request === 'GET /jobs/a')).toHaveLength(1)
  })

  it('is not forgotten because of a failed request', async () => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a')
    await time.pass(2_000)
    service.fail(DOWN)
    await time.pass(10 * 60_000)
    service.fail(undefined)
    await time.pass(60_000)
    expect(outcomes(events)).toEqual([])
    expect(tracker.jobs()).toHaveLength(1)
  })

  it('is not forgotten because it was accepted while an older list was on its way', async () => {
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

  it('is another one where a restarted service gives its id away again', async () => {
    const { time, service, tracker, events } = start([following('r', 'job-1')])
    service.add('job-1', { status: 'processing' })
    await time.pass(2_000)
    service.restart()
    await time.pass(60_000 - 2_000)
    service.restart()
    service.add('job-1', { fileName: 'else.jpg' })
    await time.pass(60_000)
    expect(outcomes(events)).toEqual(['r: forgotten'])
    expect(tracker.jobs().map(({ id, name, origin }) => [id, name, origin])).toEqual([
      ['foreign-1', 'else.jpg', 'other'],
    ])
  })

  it('is another one where the id was given away while nobody looked', async () => {
    const { time, service, tracker, events } = start([following('r', 'job-1')])
    service.add('job-1', { status: 'processing' })
    await time.pass(2_000)
    tracker.suspend()
    await time.pass(HOUR)
    service.restart()
    service.add('job-1', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    tracker.resume()
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: forgotten', 'foreign-1: done'])
  })

  it('is another one where it was created long after ours had been accepted, in an earlier run of the app', async () => {
    const time = simulatedTime()
    const {
      service,
      events,
      time: now,
    } = start([following('r', 'job-1', { acceptedAt: time.clock() - HOUR })])
    service.add('job-1', { status: 'completed', results: [] })
    await now.pass(2_000)
    expect(outcomes(events)).toEqual(['r: forgotten'])
  })

  it('keeps its start and its time left when the wall clock is set', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    service.add('a', { status: 'processing', startedAt: new Date(time.clock()).toISOString() })
    for (let second = 2; second <= 20; second += 2) {
      service.change('a', { progress: { totalProgress: second } })
      await time.pass(2_000)
    }
    const before = tracker.jobs()[0]
    time.jump(5 * HOUR)
    service.change('a', { progress: { totalProgress: 22 } })
    await time.pass(2_000)
    const after = tracker.jobs()[0]
    expect(before?.progress.timeLeft).toBeGreaterThan(70_000)
    expect(before?.progress.timeLeft).toBeLessThan(90_000)
    expect(after?.progress.timeLeft).toBeLessThanOrEqual(before?.progress.timeLeft ?? 0)
    expect(time.clock() - (after?.startedAt ?? 0)).toBeLessThan(25_000)
  })

  it('changes nothing and tells nobody when nothing is new', async () => {
    const { time, service, tracker, updates } = start([following('r', 'a')])
    service.add('a', { status: 'processing' })
    await time.pass(4_000)
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

  it('that were over before we came are left alone; one that came and went between two readings is not', async () => {
    const { time, service, events } = start()
    service.add('before', { status: 'completed' })
    await time.pass(0)
    service.add('between', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    await time.pass(60_000)
    expect(events.map((event) => event.jobId)).toEqual(['between'])
  })

  it('are not made of a submission whose answer is still on its way', async () => {
    const spokenFor = new Set(['a'])
    const { time, service, tracker, events } = start([], {
      isSpokenFor: ({ jobId }: Job) => spokenFor.has(jobId),
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

  it('become ours when the user recognises one', async () => {
    const { time, service, tracker, events } = start()
    service.add('a')
    await time.pass(0)
    tracker.follow(following('r', 'a'))
    await time.pass(2_000)
    expect(events.at(-1)).toEqual({ kind: 'adopted', id: 'r', foreignId: 'foreign-1', jobId: 'a' })
    expect(tracker.jobs().map(({ id, origin }) => [id, origin])).toEqual([['r', 'ours']])
  })

  it('are said to be ours again until that is written', async () => {
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

describe('cancelling', () => {
  it('is only a word until the service is read again', async () => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a', { status: 'processing' })
    await time.pass(0)
    expect(await tracker.cancel(asRecordId('r'))).toEqual({ ok: true, value: undefined })
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'cancelling' })
    await time.pass(4_000)
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'cancelling' })
    expect(outcomes(events)).toEqual([])
    service.change('a', { status: 'cancelled' })
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: cancelled'])
  })

  it('touches no other job', async () => {
    const { time, service, tracker } = start([following('r', 'a'), following('s', 'b')])
    for (const jobId of ['a', 'b']) service.add(jobId, { status: 'processing' })
    await time.pass(0)
    await tracker.cancel(asRecordId('r'))
    expect(Object.fromEntries(tracker.jobs().map(({ id, stage }) => [id, stage.kind]))).toEqual({
      r: 'cancelling',
      s: 'processing',
    })
  })

  it('that came too late ends in what really happened', async () => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a', { status: 'processing' })
    await time.pass(0)
    service.change('a', { status: 'completed', results: [{ file: 'x', outputPath: '/x' }] })
    const asked = await tracker.cancel(asRecordId('r'))
    expect(asked.ok).toBe(false)
    await time.pass(2_000)
    expect(outcomes(events)).toEqual(['r: done'])
  })

  it('is taken back when the service could not be asked', async () => {
    const { time, service, tracker } = start([following('r', 'a')])
    service.add('a', { status: 'processing' })
    await time.pass(0)
    service.fail(DOWN)
    await tracker.cancel(asRecordId('r'))
    await settled()
    expect(tracker.jobs()[0]?.stage).toEqual({ kind: 'processing' })
  })
})

describe('the jobs that are shown', () => {
  it('are those in work, then those on their way to a drive, then those that wait', async () => {
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
  ])('are the same ones where their creation is written in another way: %s, %s', async (one, other) => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a', { createdAt: one })
    await time.pass(2_000)
    service.change('a', { createdAt: other })
    await time.pass(60_000)
    expect(outcomes(events)).toEqual([])
    expect(tracker.jobs().map(({ id }) => id)).toEqual(['r'])
  })

  it('began when the service says, unless that is more than a week ago', async () => {
    for (const [hours, believed] of [
      [167, true],
      [169, false],
    ] as const) {
      const { time, service, tracker } = start([following('r', 'a')])
      const said = time.clock() - hours * HOUR
      service.add('a', { status: 'processing', startedAt: new Date(said).toISOString() })
      await time.pass(0)
      expect(tracker.jobs()[0]?.startedAt).toBe(believed ? said : time.clock())
    }
  })
})

describe('going over to another service', () => {
  it('asks the new one at once, while the one before has not answered', async () => {
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

  it('says nothing about the jobs of the one before, and ignores what it still answers', async () => {
    const { time, service, tracker, events } = start([following('r', 'a')])
    service.add('a')
    await time.pass(2_000)
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

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from './companion.ts'
import { faultFixture } from './fault-fixture.ts'
import { firstOf } from './long-suite.ts'
import type { Fault, Route } from './scripted-service.ts'

const at = faultFixture()

const rejections: unknown[] = []
const onRejection = (reason: unknown) => void rejections.push(reason)
beforeEach(() => {
  rejections.length = 0
  process.on('unhandledRejection', onRejection)
})
afterEach(() => {
  process.off('unhandledRejection', onRejection)
  expect(rejections).toEqual([])
})

/** Checks rule 1: exactly one job was created, and the history has its ID. */
function expectOnce(...submissions: readonly (readonly [id: string, name: string])[]): void {
  for (const [id, name] of submissions) {
    const jobs = at.jobsFrom(name)
    // Not counting those that the service lost when it restarted.
    expect([name, jobs.filter(({ life }) => life === at.service.life()).length]).toEqual([name, 1])
    const known = at.companion.history.unfinished().find(({ title }) => title.id === id)
    expect([name, known?.jobId]).toEqual([name, jobs.at(-1)?.jobId])
  }
  expect(at.companion.outbox.list()).toEqual([])
  expect(at.companion.outbox.accepted()).toEqual([])
}

const afterwards = [true, false] as const
const faults: readonly Fault[] = [
  ...afterwards.flatMap((after): Fault[] => [
    { kind: 'reset', afterwards: after },
    { kind: 'hang', afterwards: after },
    { kind: 'garbage', afterwards: after },
    { kind: 'truncated', afterwards: after },
    { kind: 'halfHeader', afterwards: after },
    { kind: 'status', status: 500, afterwards: after },
  ]),
  { kind: 'late', ms: 40 },
  { kind: 'restart' },
]
const hidesNewFiles = (fault: Fault): boolean =>
  fault.kind === 'restart' || (fault.kind === 'hang' && !fault.afterwards)
const nameOf = (fault: Fault): string => Object.values(fault).map(String).join(' ')

describe('a fault in the response to POST /jobs', () => {
  it.each(firstOf(faults, 2).map((fault) => [nameOf(fault), fault] as const))(
    '(%s) neither loses nor duplicates a job',
    async (_, fault) => {
      at.service.script('POST /jobs', [null, fault])
      at.start()
      const submissions = ['a.jpg', 'b.jpg', 'c.jpg'].map(
        (name) => [at.companion.submit(name), name] as const,
      )
      await at.settled()
      const [a, [b] = []] = submissions
      if (a === undefined || b === undefined) throw new Error('they were submitted')
      if (!hidesNewFiles(fault)) return expectOnce(...submissions)
      // The service may still be processing the job, or may have forgotten it. Only the user can find out.
      expect(at.stateOf(b)).toMatchObject({ kind: 'unknown', checking: false })
      expect(at.jobsFrom('b.jpg').length).toBeLessThan(2)
      at.companion.sender.resolve(b, { kind: 'sendAgain' })
      await at.settled()
      expectOnce(...submissions.slice(fault.kind === 'restart' ? 1 : 0))
    },
  )

  it('twice in a row, of different kinds, still creates one job', async () => {
    at.service.script('POST /jobs', [
      { kind: 'reset', afterwards: false },
      { kind: 'garbage', afterwards: true },
    ])
    at.start()
    const a = at.companion.submit('a.jpg')
    await at.settled()
    expectOnce([a, 'a.jpg'])
  })
})

describe('a fault in another request', () => {
  const routes: readonly Route[] = ['GET /jobs', 'POST /upload']
  it.each(
    routes.flatMap((route) =>
      firstOf(faults)
        .filter(({ kind }) => kind !== 'late')
        .map((fault) => [route, nameOf(fault), fault] as const),
    ),
  )('(%s, %s) never makes the submission uncertain', async (route, _, fault) => {
    at.service.script(route, [fault])
    at.start(false)
    const a = at.companion.submit('a.jpg')
    await at.settled()
    expectOnce([a, 'a.jpg'])
    expect(at.service.requests.filter((request) => request === 'POST /jobs')).toHaveLength(1)
  })

  it.each(firstOf(faults).map((fault) => [nameOf(fault), fault] as const))(
    '(GET /jobs during reconciliation, %s) only causes a delay',
    async (_, fault) => {
      at.service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
      at.service.script('GET /jobs', [null, fault, fault])
      at.start()
      const a = at.companion.submit('a.jpg')
      await at.settled()
      expectOnce([a, 'a.jpg'])
    },
  )
})

describe('an upload', () => {
  it('continues when other submissions are added to the outbox', async () => {
    at.start(false)
    at.onRequest = (route) => {
      if (route !== 'POST /upload') return
      at.onRequest = () => undefined
      at.companion.submit('b.jpg')
    }
    at.companion.submit('a.jpg')
    await at.settled()
    expect(at.service.requests.filter((request) => request === 'POST /upload')).toHaveLength(2)
    expect(at.service.created).toHaveLength(2)
  })
})

describe('a refusal', () => {
  it.each([
    [400, 'invalid'],
    [412, 'drive'],
    [413, 'tooLarge'],
  ] as const)(
    'with %i is kept with the service’s message and does not block the next submission',
    async (status, why) => {
      at.service.script('POST /jobs', [{ kind: 'status', status }])
      at.start()
      const a = at.companion.submit('a.jpg')
      const b = at.companion.submit('b.jpg')
      await at.settled()
      expect(at.stateOf(a)).toEqual({ kind: 'refused', why, message: `scripted ${status}`, skipped: [] })
      expect(at.jobsFrom('a.jpg')).toHaveLength(0)
      expect(at.companion.history.unfinished().map(({ title }) => title.id)).toEqual([b])
    },
  )

  it('with 401 stops all requests until another key is set', async () => {
    at.service.setKey('another')
    at.start()
    const a = at.companion.submit('a.jpg')
    await until('the key is refused', () => at.companion.troubles.includes('unauthorized'))
    at.companion.submit('b.jpg')
    at.companion.sender.wake()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(at.service.requests).toHaveLength(1)
    expect(at.stateOf(a)).toMatchObject({ kind: 'waiting', because: 'keyRefused' })
    at.companion.setKey('another')
    await at.settled()
    expect(at.service.created).toHaveLength(2)
  })

  it('with 401 is ignored if it arrives after the key has changed', async () => {
    at.service.setKey('another')
    at.start()
    at.onRequest = () => {
      at.onRequest = () => undefined
      // Sent with the old key; the response arrives when the new key is in use.
      at.companion.setKey('another')
    }
    const a = at.companion.submit('a.jpg')
    await at.settled()
    expectOnce([a, 'a.jpg'])
    // A slow computer may exceed the companion's short time limit.
    expect(at.companion.troubles.filter((kind) => kind !== 'noAnswer')).toEqual([])
  })

  it('with 401 during reconciliation also stops all requests; reconciliation completes once another key is set', async () => {
    at.service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    at.service.script('GET /jobs', [null, { kind: 'status', status: 401 }])
    at.start()
    const a = at.companion.submit('a.jpg')
    await until('the key is refused', () => at.companion.troubles.includes('unauthorized'))
    const asked = at.service.requests.length
    at.companion.submit('b.jpg')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(at.service.requests).toHaveLength(asked)
    at.companion.setKey('secret')
    await at.settled()
    expect(at.jobsFrom('a.jpg')).toHaveLength(1)
    expect(at.companion.history.details(a)?.facts.jobId).not.toBeNull()
  })

  it('after repeated 500 responses does not block the next submission', async () => {
    const always: Fault = { kind: 'status', status: 500 }
    at.service.script('POST /jobs', [always, always, always])
    at.start()
    const a = at.companion.submit('a.jpg')
    const b = at.companion.submit('b.jpg')
    await at.settled()
    expect(at.stateOf(a)).toMatchObject({ kind: 'refused', message: 'scripted 500' })
    expect(at.jobsFrom('b.jpg')).toHaveLength(1)
    expect(at.companion.history.details(b)?.facts.jobId).not.toBeNull()
  })
})

/** Runs the callback after the job is created but before the first job list that could show it. */
function beforeListShowsJob(happen: () => void): void {
  at.onRequest = (route) => {
    if (route !== 'GET /jobs' || at.service.created.length !== 1) return
    at.onRequest = () => undefined
    happen()
  }
}

describe('a submission that the job list can’t resolve', () => {
  it('is left to the user when there are more new jobs than the list shows', async () => {
    at.service.addForeign(3)
    at.service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    at.start()
    beforeListShowsJob(() => at.service.addForeign(60))
    const a = at.companion.submit('a.jpg')
    await at.settled()
    expect(at.stateOf(a)).toEqual({ kind: 'unknown', checking: false, candidates: [] })
    at.companion.sender.resolve(a, { kind: 'remove' })
    expect(at.companion.sender.entries()).toEqual([])
  })
})

/** How the built-in service is kept running, on time that the test holds and processes that do what it says. */
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import {
  createBuiltInService,
  createSessionKeyStore,
  type BuiltInServiceDeps,
  type BuiltInState,
  type KeyStore,
} from '../../../src/main/connection/index.ts'
import type { ChildEnd } from '../../../src/node/child-process.ts'
import { holdTime } from '../watch/held-time.ts'

type Process = {
  readonly port: string
  readonly key: string
  readonly asked: string[]
  say(message: object): void
  end(how?: Partial<ChildEnd>): void
}

function supervise(change: Partial<BuiltInServiceDeps> = {}) {
  const time = holdTime()
  const processes: Process[] = []
  const states: BuiltInState['kind'][] = []
  const service = createBuiltInService({
    spawn({ args, key }) {
      const stdout = new PassThrough()
      const end = Promise.withResolvers<ChildEnd>()
      const asked: string[] = []
      processes.push({
        port: args[args.indexOf('--port') + 1] ?? '',
        key,
        asked,
        say: (message) => stdout.write(`${JSON.stringify(message)}\n`),
        end: (how) => end.resolve({ code: 1, signal: null, stderrTail: 'broken', ...how }),
      })
      return {
        stdout,
        ended: end.promise,
        terminate: () => asked.push('terminate'),
        kill: () => asked.push('kill'),
      }
    },
    dataDir: '/data',
    keyStore: createSessionKeyStore(),
    timing: { ...time.timing, random: () => 1 },
    preferredPort: 0,
    ...change,
  })
  service.onChange(({ kind }) => states.push(kind))
  return { ...time, service, processes, states, begun: (count: number) => begun(processes, count) }
}

/** The latest process, once there are so many. */
async function begun(processes: readonly Process[], count: number): Promise<Process> {
  return vi.waitFor(() => {
    expect(processes).toHaveLength(count)
    const last = processes.at(-1)
    if (last === undefined) throw new Error('none was begun')
    return last
  })
}

const listening = { event: 'listening', baseUrl: 'http://127.0.0.1:4000/api' }
const isState = (service: { state(): BuiltInState }, kind: BuiltInState['kind']) =>
  vi.waitFor(() => expect(service.state().kind).toBe(kind))

it('starts once, however often it is wanted', async () => {
  const { service, processes, begun: after, states } = supervise()
  expect(service.state()).toEqual({ kind: 'stopped' })
  service.start()
  service.start()
  const process = await after(1)
  process.say(listening)
  await isState(service, 'running')
  service.start()
  await new Promise(setImmediate)
  expect(processes).toHaveLength(1)
  expect(states).toEqual(['starting', 'running'])
})

it('waits longer after each crash, and is given up after the fifth within five minutes', async () => {
  const { service, begun: after, dueWithin, pass, states } = supervise()
  service.start()
  for (const [index, wait] of [500, 1_000, 2_000, 4_000].entries()) {
    const process = await after(index + 1)
    process.end()
    await isState(service, 'restarting')
    expect(dueWithin(wait - 1)).toBe(0)
    pass(wait)
  }
  const last = await after(5)
  last.end()
  await isState(service, 'failed')
  expect(service.state()).toEqual({ kind: 'failed', reason: expect.stringContaining('broken') })
  expect(dueWithin(600_000)).toBe(0)
  expect(states.filter((kind) => kind === 'restarting')).toHaveLength(4)
})

it('crashes that lie longer back are forgotten', async () => {
  const { service, begun: after, pass } = supervise()
  service.start()
  for (let crash = 1; crash <= 7; crash++) {
    const process = await after(crash)
    pass(75_000)
    process.end()
    await isState(service, 'restarting')
    pass(30_000)
  }
  await after(8)
})

it('what was given up begins anew with the shortest wait when it is wanted', async () => {
  const { service, begun: after, dueWithin } = supervise({ limits: { crashes: 1 } })
  service.start()
  const first = await after(1)
  first.end()
  await isState(service, 'failed')
  service.start()
  await after(2)
  expect(dueWithin(29_999)).toBe(0)
})

it('stopped while it waits to be started again, it stays stopped', async () => {
  const { service, begun: after, dueWithin } = supervise()
  service.start()
  const process = await after(1)
  process.end()
  await isState(service, 'restarting')
  await service.stop()
  expect([service.state(), dueWithin(600_000)]).toEqual([{ kind: 'stopped' }, 0])
})

it('stopped before it was spawned, it is not spawned', async () => {
  const { service, processes, states } = supervise()
  service.start()
  await service.stop()
  expect([processes.length, service.state().kind]).toEqual([0, 'stopped'])
  await service.stop()
  expect(states.filter((kind) => kind === 'stopped').length).toBeLessThanOrEqual(1)
})

it('an end that was asked for is no crash, and what it says too late makes nothing run', async () => {
  const { service, begun: after, dueWithin, states } = supervise()
  service.start()
  const process = await after(1)
  const stopped = service.stop()
  await vi.waitFor(() => expect(process.asked).toEqual(['terminate']))
  process.say(listening)
  await new Promise(setImmediate)
  process.end()
  await stopped
  expect(states).toEqual(['starting', 'stopped'])
  expect(dueWithin(600_000)).toBe(0)
})

it('tells of its jobs to whoever listens, until they no longer do', async () => {
  const { service, begun: after } = supervise()
  const told: unknown[] = []
  const unheard: unknown[] = []
  service.onEnded((jobs) => told.push(jobs))
  service.onEnded((jobs) => unheard.push(jobs))()
  service.start()
  const process = await after(1)
  process.say(listening)
  process.say({ event: 'ended', jobs: [] })
  await new Promise(setImmediate)
  process.end({ code: 0 })
  await isState(service, 'restarting')
  expect([told, unheard]).toEqual([[[]], []])
})

it('tells that a job has ended to whoever listens, of each process that it starts', async () => {
  const { service, begun: after, pass } = supervise()
  let told = 0
  let unheard = 0
  service.onJobEnded(() => void told++)
  service.onJobEnded(() => void unheard++)()
  service.start()
  const first = await after(1)
  first.say(listening)
  first.say({ event: 'jobEnded' })
  await vi.waitFor(() => expect(told).toBe(1))
  first.end()
  await isState(service, 'restarting')
  pass(500)
  const second = await after(2)
  second.say(listening)
  second.say({ event: 'jobEnded' })
  await vi.waitFor(() => expect(told).toBe(2))
  expect(unheard).toBe(0)
})

it('whoever no longer listens is not told of changes', async () => {
  const { service, begun: after } = supervise()
  const unheard: unknown[] = []
  service.onChange((state) => unheard.push(state))()
  service.start()
  await after(1)
  expect(unheard).toEqual([])
})

/** Where every service's key is the one that was kept, or none. */
const keyed = (kept: string | null, writes: string[] = []): KeyStore => ({
  storage: 'keychain',
  read: () => Promise.resolve({ ok: true, value: kept }),
  write(_, key) {
    writes.push(key)
    return Promise.resolve({ ok: true, value: undefined })
  },
  remove: () => Promise.resolve({ ok: true, value: undefined }),
})

it('has the key that was kept, and keeps a new one where there was none', async () => {
  const kept = supervise({ keyStore: keyed('kept-before') })
  kept.service.start()
  const first = await kept.begun(1)
  first.say(listening)
  await isState(kept.service, 'running')
  expect([first.key, kept.service.state()]).toMatchObject([
    'kept-before',
    { key: 'kept-before', storage: 'keychain' },
  ])
  const writes: string[] = []
  const fresh = supervise({ keyStore: keyed(null, writes) })
  fresh.service.start()
  const second = await fresh.begun(1)
  expect(writes).toEqual([second.key])
  expect(Buffer.from(second.key, 'base64url')).toHaveLength(32)
})

it('a keychain that answers in time is not waited for any longer, and one that does not is left', async () => {
  const quick = supervise({ keyStore: keyed('kept-before'), limits: { start: 60_000 } })
  quick.service.start()
  await quick.begun(1)
  expect(quick.dueWithin(5_000)).toBe(0)
  const never: KeyStore = { ...keyed(null), read: () => new Promise(() => {}) }
  const slow = supervise({ keyStore: never })
  slow.service.start()
  await vi.waitFor(() => expect(slow.dueWithin(5_000)).toBe(1))
  slow.pass(4_999)
  await new Promise(setImmediate)
  expect(slow.processes).toHaveLength(0)
  slow.pass(1)
  const process = await slow.begun(1)
  process.say(listening)
  await isState(slow.service, 'running')
  expect(slow.service.state()).toMatchObject({ key: process.key, storage: 'session' })
})

const refuse = () => Promise.resolve({ ok: false, trouble: 'missing' } as const)

it('a key that can’t be kept is the same after a crash all the same', async () => {
  const {
    service,
    begun: after,
    pass,
  } = supervise({
    keyStore: { storage: 'keychain', read: refuse, write: refuse, remove: refuse },
  })
  service.start()
  const first = await after(1)
  first.say(listening)
  await isState(service, 'running')
  expect(service.state()).toMatchObject({ storage: 'session' })
  first.end()
  await isState(service, 'restarting')
  pass(500)
  expect((await after(2)).key).toBe(first.key)
})

/** Supervision of the built-in service, in virtual time and with scripted processes. */
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
        writeLine: (line) => asked.push(line),
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
  /** Starts the service and resolves with its first process. */
  function start(): Promise<Process> {
    service.start()
    return begun(processes, 1)
  }
  return { ...time, service, processes, states, start, begun: (count: number) => begun(processes, count) }
}

/** Resolves with the latest process once `count` processes have started. */
async function begun(processes: readonly Process[], count: number): Promise<Process> {
  return vi.waitFor(() => {
    expect(processes).toHaveLength(count)
    const last = processes.at(-1)
    if (last === undefined) throw new Error('nothing was started')
    return last
  }, 60_000)
}

const listening = { event: 'listening', baseUrl: 'http://127.0.0.1:4000/api' }
const isState = (service: { state(): BuiltInState }, kind: BuiltInState['kind']) =>
  expect.poll(() => service.state().kind).toBe(kind)

it('starts once, however often it is requested', async () => {
  const { service, processes, start, states } = supervise()
  expect(service.state()).toEqual({ kind: 'stopped' })
  service.start()
  const process = await start()
  process.say(listening)
  await isState(service, 'running')
  service.start()
  await new Promise(setImmediate)
  expect(processes).toHaveLength(1)
  expect(states).toEqual(['starting', 'running'])
})

it('waits longer after each crash, and stops restarting after the fifth within five minutes', async () => {
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

it('tells the service how to run its jobs, and repeats it after a crash', async () => {
  const { service, start, begun, pass } = supervise()
  const first = await start()
  const steering = { hold: true, lowPriority: false }
  service.steer(steering)
  service.steer({ ...steering })
  expect(first.asked).toEqual([JSON.stringify(steering)])
  first.end()
  await expect.poll(() => service.state().kind).toBe('restarting')
  pass(60_000)
  const second = await begun(2)
  await expect.poll(() => second.asked).toEqual([JSON.stringify(steering)])
})

it('ignores crashes from more than five minutes ago', async () => {
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

it('starts immediately on request, even after the supervisor has given up', async () => {
  const { service, start, begun: after, dueWithin } = supervise({ limits: { crashes: 1 } })
  const first = await start()
  first.end()
  await isState(service, 'failed')
  service.start()
  await after(2)
  expect(dueWithin(29_999)).toBe(0)
})

it('remains stopped if it is stopped while waiting for a restart', async () => {
  const { service, start, dueWithin } = supervise()
  const process = await start()
  process.end()
  await isState(service, 'restarting')
  await service.stop()
  expect([service.state(), dueWithin(600_000)]).toEqual([{ kind: 'stopped' }, 0])
})

it('is not spawned if it is stopped first', async () => {
  const { service, processes, states } = supervise()
  service.start()
  await service.stop()
  expect([processes.length, service.state().kind]).toEqual([0, 'stopped'])
  await service.stop()
  expect(states.filter((kind) => kind === 'stopped').length).toBeLessThanOrEqual(1)
})

it('does not count a requested exit as a crash, and ignores late output', async () => {
  const { service, start, dueWithin, states } = supervise()
  const process = await start()
  const stopped = service.stop()
  await expect.poll(() => process.asked).toEqual(['terminate'])
  process.say(listening)
  await new Promise(setImmediate)
  process.end()
  await stopped
  expect(states).toEqual(['starting', 'stopped'])
  expect(dueWithin(600_000)).toBe(0)
})

it('reports the final states of its jobs to its listeners, until they unsubscribe', async () => {
  const { service, start } = supervise()
  const told: unknown[] = []
  const unheard: unknown[] = []
  service.onEnded((jobs) => told.push(jobs))
  service.onEnded((jobs) => unheard.push(jobs))()
  const process = await start()
  process.say(listening)
  process.say({ event: 'ended', jobs: [] })
  await new Promise(setImmediate)
  process.end({ code: 0 })
  await isState(service, 'restarting')
  expect([told, unheard]).toEqual([[[]], []])
})

it('reports the end of a job to its listeners, for every process that it starts', async () => {
  const { service, start, begun: after, pass } = supervise()
  let told = 0
  let unheard = 0
  service.onJobEnded(() => void told++)
  service.onJobEnded(() => void unheard++)()
  const first = await start()
  first.say(listening)
  first.say({ event: 'jobEnded' })
  await expect.poll(() => told).toBe(1)
  first.end()
  await isState(service, 'restarting')
  pass(500)
  const second = await after(2)
  second.say(listening)
  second.say({ event: 'jobEnded' })
  await expect.poll(() => told).toBe(2)
  expect(unheard).toBe(0)
})

/** A key store that returns the same key for every service, or no key. */
const keyed = (kept: string | null, writes: string[] = []): KeyStore => ({
  storage: 'keychain',
  read: () => Promise.resolve({ ok: true, value: kept }),
  write(_, key) {
    writes.push(key)
    return Promise.resolve({ ok: true, value: undefined })
  },
  remove: () => Promise.resolve({ ok: true, value: undefined }),
})

it('uses the stored key, or stores a new one if there is none', async () => {
  const kept = supervise({ keyStore: keyed('kept-before') })
  const first = await kept.start()
  first.say(listening)
  await isState(kept.service, 'running')
  expect([first.key, kept.service.state()]).toMatchObject([
    'kept-before',
    { key: 'kept-before', storage: 'keychain' },
  ])
  const writes: string[] = []
  const fresh = supervise({ keyStore: keyed(null, writes) })
  const second = await fresh.start()
  expect(writes).toEqual([second.key])
  expect(Buffer.from(second.key, 'base64url')).toHaveLength(32)
})

it('starts as soon as the keychain responds, or after 5 s without a response', async () => {
  const quick = supervise({ keyStore: keyed('kept-before'), limits: { start: 60_000 } })
  await quick.start()
  expect(quick.dueWithin(5_000)).toBe(0)
  const never: KeyStore = { ...keyed(null), read: () => new Promise(() => {}) }
  const slow = supervise({ keyStore: never })
  slow.service.start()
  await expect.poll(() => slow.dueWithin(5_000)).toBe(1)
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

it('keeps the same key after a crash even if it can’t be stored', async () => {
  const {
    service,
    start,
    begun: after,
    pass,
  } = supervise({
    keyStore: { storage: 'keychain', read: refuse, write: refuse, remove: refuse },
  })
  const first = await start()
  first.say(listening)
  await isState(service, 'running')
  expect(service.state()).toMatchObject({ storage: 'session' })
  first.end()
  await isState(service, 'restarting')
  pass(500)
  expect((await after(2)).key).toBe(first.key)
})

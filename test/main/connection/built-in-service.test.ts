import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  createBuiltInService,
  createConnection,
  createSessionKeyStore,
  spawnService,
  type BuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
  type KeyStore,
} from '../../../src/main/connection/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { SERVICE } from '../../entries.ts'
import { eventually } from './eventually.ts'

const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']
const CRASHING = new URL('crashing-service.ts', import.meta.url).pathname

let dataDir: string
const opened: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mediatray-built-in-'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((service) => service.stop()))
  await rm(dataDir, { recursive: true, force: true })
})

const refuse = () => Promise.resolve({ ok: false, trouble: 'missing' } as const)

/** Of a computer whose clock began long ago. */
const ON_FOR_DAYS = { ...systemTiming, monotonic: () => 1_000_000_000 + systemTiming.monotonic() }

function builtIn(behaviour: string, change: Partial<BuiltInServiceDeps> = {}): BuiltInService {
  const spawn = spawnService(process.execPath, CRASHING, NODE_OPTIONS)
  const service = createBuiltInService({
    spawn: ({ args, key }) => spawn({ args: [...args, '--behaviour', behaviour], key }),
    dataDir,
    keyStore: createSessionKeyStore(),
    timing: ON_FOR_DAYS,
    preferredPort: 0,
    limits: { start: 60_000, stop: 200, crashes: 3, firstWait: 1 },
    ...change,
  })
  opened.push(service)
  return service
}

const becomes = (service: BuiltInService, wanted: BuiltInState['kind']): Promise<BuiltInState> =>
  eventually(
    () => service.state(),
    ({ kind }) => kind === wanted,
  )

const Start = z.object({ port: z.string(), key: z.string() })
const starts = async () =>
  (await readFile(join(dataDir, 'starts.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => Start.parse(JSON.parse(line)))

const baseUrlOf = (state: BuiltInState): string => (state.kind === 'running' ? state.baseUrl : '')
const answers = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

describe('the built-in service', () => {
  it('is told what will be submitted, and gets ready for it', async () => {
    const out = join(dataDir, 'out')
    const service = builtIn('serve', {
      spawn: spawnService(process.execPath, SERVICE, NODE_OPTIONS),
      limits: {},
    })
    service.start({ media: 'image', into: out })
    await becomes(service, 'running')
    expect(await readdir(dataDir)).toContain('out')
    await service.stop()
    expect(await readdir(dataDir)).not.toContain('out')
  })

  it('runs once it listens, with a key of its own that is kept', async () => {
    const keyStore: KeyStore = { ...createSessionKeyStore(), storage: 'keychain' }
    const first = builtIn('serve', { keyStore })
    first.start()
    const state = await becomes(first, 'running')
    expect(await answers(`${baseUrlOf(state)}/health`)).toBe(true)
    expect(state).toMatchObject({ storage: 'keychain' })
    await first.stop()
    expect(first.state()).toEqual({ kind: 'stopped' })
    expect(await answers(`${baseUrlOf(state)}/health`)).toBe(false)

    const second = builtIn('serve', { keyStore })
    second.start()
    await becomes(second, 'running')
    const [one, other] = await starts()
    expect(one?.key).toMatch(/^[\w-]{43}$/)
    expect(other?.key).toBe(one?.key)
  })

  it('keeps its key for the session where there is no keychain', async () => {
    const service = builtIn('serve', {
      keyStore: { storage: 'keychain', read: refuse, write: refuse, remove: refuse },
    })
    service.start()
    expect(await becomes(service, 'running')).toMatchObject({ storage: 'session' })
    await service.stop()
    service.start()
    await becomes(service, 'running')
    const [one, other] = await starts()
    expect(other?.key).toBe(one?.key)
  })

  it('does not wait for a keychain that waits for its password', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    const waiting = () => never
    const service = builtIn('serve', {
      keyStore: { storage: 'keychain', read: waiting, write: waiting, remove: waiting },
      limits: { keychain: 50 },
    })
    service.start()
    expect(await becomes(service, 'running')).toMatchObject({ storage: 'session' })
  })

  it('takes another port when the usual one is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    const { promise, resolve } = Promise.withResolvers<void>()
    taken.once('listening', resolve)
    await promise
    const { port } = taken.address() as AddressInfo
    const service = builtIn('serve', { preferredPort: port })
    service.start()
    await becomes(service, 'running')
    expect((await starts())[0]?.port).toBe('0')
    await service.stop()
    const closed = Promise.withResolvers<void>()
    taken.close(() => closed.resolve())
    await closed.promise
    service.start()
    expect(baseUrlOf(await becomes(service, 'running'))).toBe(`http://127.0.0.1:${port}/api`)
  })

  it('says what became of its jobs when it ends in order, and nothing where it crashes', async () => {
    const told: unknown[] = []
    const crashing = builtIn('fail')
    crashing.onEnded((jobs) => told.push(jobs))
    crashing.start()
    await becomes(crashing, 'failed')
    expect(told).toEqual([])
    const real = builtIn('serve', {
      spawn: spawnService(process.execPath, SERVICE, NODE_OPTIONS),
      limits: { start: 60_000, stop: 10_000 },
    })
    real.onEnded((jobs) => told.push(jobs))
    real.start()
    await becomes(real, 'running')
    await real.stop()
    expect(told).toEqual([[]])
  })

  it('is started again after a crash', async () => {
    const service = builtIn('serve')
    const kinds: string[] = []
    service.onChange(({ kind }) => kinds.push(kind))
    service.start()
    const state = await becomes(service, 'running')
    await answers(`${baseUrlOf(state)}/crash`)
    await eventually(
      () => kinds,
      (seen) => seen.filter((kind) => kind === 'running').length === 2,
    )
    expect(kinds).toEqual(['starting', 'running', 'restarting', 'starting', 'running'])
  })

  it('is left alone with a reason when it crashes too often, and starts anew when it is wanted again', async () => {
    const service = builtIn('fail')
    service.start()
    const state = await becomes(service, 'failed')
    expect(state).toEqual({ kind: 'failed', reason: 'exit code 7: cannot go on with …' })
    expect(await starts()).toHaveLength(3)
    service.start()
    await eventually(
      () => service.state().kind,
      (kind) => kind !== 'failed',
    )
    await becomes(service, 'failed')
    expect(await starts()).toHaveLength(6)
  })

  it('has stopped only when a start that was on its way has ended', async () => {
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const store = createSessionKeyStore()
    const read: KeyStore['read'] = async (account) => {
      asked.resolve()
      await answered.promise
      return store.read(account)
    }
    const service = builtIn('serve', { keyStore: { ...store, read } })
    service.start()
    await asked.promise
    let hasStopped = false
    const stopping = service.stop().then(() => (hasStopped = true))
    await new Promise(setImmediate)
    expect(hasStopped).toBe(false)
    answered.resolve()
    await stopping
    expect(service.state()).toEqual({ kind: 'stopped' })
    expect(await readdir(dataDir)).not.toContain('starts.jsonl')
  })

  it.each([
    ['says something else first', 'babble'],
    ['never says that it listens', 'hang'],
  ])('counts as crashed when it %s', async (_, behaviour) => {
    const limits = { start: 400, stop: 200, crashes: 2, within: 600_000, firstWait: 1 }
    const service = builtIn(behaviour, { limits })
    service.start()
    expect(await becomes(service, 'failed')).toMatchObject({ reason: 'signal SIGKILL' })
  })

  it('that cannot be started at all fails with the reason', async () => {
    const service = builtIn('serve', { spawn: spawnService(join(dataDir, 'no-such-node'), CRASHING) })
    service.start()
    expect(await becomes(service, 'failed')).toMatchObject({ reason: expect.stringContaining('ENOENT') })
  })

  it('that will not end is ended', async () => {
    const service = builtIn('stubborn')
    service.start()
    const state = await becomes(service, 'running')
    await service.stop()
    expect(await answers(`${baseUrlOf(state)}/health`)).toBe(false)
  })

  it('ends up as it was wanted last, however quickly the mind was changed', async () => {
    const service = builtIn('serve')
    service.start()
    void service.stop()
    service.start()
    await becomes(service, 'running')
    void service.stop()
    service.start()
    const stopped = service.stop()
    await stopped
    expect(service.state()).toEqual({ kind: 'stopped' })
    service.start()
    await becomes(service, 'running')
    const seen = await starts()
    expect(seen.length).toBeGreaterThanOrEqual(2)
  })
})

function connect(service: BuiltInService) {
  const settings = createSettings(openSettingsFile(join(dataDir, 'config.json')))
  const connection = createConnection({
    settings,
    keyStore: createSessionKeyStore(),
    builtIn: service,
    timing: systemTiming,
    patience: 60_000,
  })
  opened.push({ stop: () => connection.close() })
  return { settings, connection }
}

describe('a connection to the built-in service', () => {
  it('is online when it listens, connecting while it is started again, and its choice is kept', async () => {
    const service = builtIn('serve')
    const { settings, connection } = connect(service)
    const states: string[] = []
    connection.onChange(({ state }) => {
      if (states.at(-1) !== state.status) states.push(state.status)
    })
    connection.useBuiltIn()
    await eventually(
      () => states.at(-1),
      (status) => status === 'online',
    )
    expect(connection.view()).toMatchObject({ kind: 'builtIn', key: 'session', seesFiles: true })
    expect(settings.view().connection).toBe('builtIn')
    // It is on this computer, whatever was said of another one.
    settings.update({ seesFiles: false })
    expect(connection.view().seesFiles).toBe(true)
    await answers(`${connection.view().baseUrl}/crash`)
    await eventually(
      () => states.length,
      (length) => length === 4,
    )
    expect(states).toEqual(['connecting', 'online', 'connecting', 'online'])
    connection.retry()
    expect(connection.view().state.status).toBe('online')
  })

  it('is offline with the reason when it was given up, and trying again starts it', async () => {
    const { connection } = connect(builtIn('fail'))
    connection.useBuiltIn()
    const view = await eventually(
      () => connection.view(),
      ({ state }) => state.status === 'offline',
    )
    expect(view.state).toMatchObject({
      reason: 'builtInFailed',
      detail: expect.stringContaining('exit code 7'),
    })
    connection.retry()
    expect(connection.view().state.status).toBe('connecting')
  })

  it('works with the service that ships with the app', async () => {
    const service = builtIn('serve', { spawn: spawnService(process.execPath, SERVICE, NODE_OPTIONS) })
    const { connection } = connect(service)
    connection.useBuiltIn()
    const view = await eventually(
      () => connection.view(),
      ({ state }) => state.status === 'online' || state.status === 'offline',
    )
    expect(view.state).toEqual({ status: 'online', version: '1.0.81' })
    expect(view.presets?.image.length).toBeGreaterThan(0)
    const listed = await connection.api()?.jobs()
    expect(listed).toMatchObject({ ok: true, value: { jobs: [] } })
    await connection.close()
    expect(service.state()).toEqual({ kind: 'stopped' })
  })
})

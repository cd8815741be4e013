import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createConnection,
  discover,
  type BuiltInService,
  type Connection,
  type ConnectionDeps,
  type KeyStore,
} from '../../../src/main/connection/index.ts'
import { createSettings, openSettingsFile, type Settings } from '../../../src/main/settings/settings.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { freePort } from '../service-api/scripted-server.ts'
import { holdTime } from '../watch/held-time.ts'
import { startSmallService, type SmallService, type SmallServiceOptions } from './small-service.ts'
import { createSessionKeyStore } from './session-key-store.ts'

let settings: Settings
beforeEach(() => {
  settings = createSettings(openSettingsFile(join(temporaryFolder(), 'config.json')))
})

async function service(options?: SmallServiceOptions): Promise<SmallService> {
  const started = await startSmallService(options)
  onTestFinished(() => started.close())
  return started
}

function connect(change: Partial<ConnectionDeps> = {}): Connection {
  const connection = createConnection({
    settings,
    keyStore: createSessionKeyStore(),
    timing: {
      after: (ms, run) => systemTiming.after(ms / 50, run),
      random: () => 1,
    },
    patience: 2_000,
    ...change,
  })
  onTestFinished(() => connection.close())
  return connection
}

/** Resolves with the view that has this status. */
async function becomes(connection: Connection, status: string) {
  await expect.poll(() => connection.view().state.status).toBe(status)
  return connection.view()
}

const session = (baseUrl: string) => ({ baseUrl, key: 'right-key', keep: 'session' }) as const
const inKeychain = (baseUrl: string) => ({ baseUrl, key: 'right-key', keep: 'keychain' }) as const

/** A connection that uses a service, with its key in the given key store, or else kept for the session. */
async function online(options: SmallServiceOptions = {}, change: Partial<ConnectionDeps> = {}) {
  const started = await service(options)
  const connection = connect(change)
  const choice = change.keyStore === undefined ? session : inKeychain
  await connection.useExternal(choice(started.baseUrl))
  started.requests.splice(0)
  return { ...started, connection }
}

/** Lets a server listen until the test has finished. @returns its address as that of a service */
const urlOf = async (server: Server): Promise<string> => `${await listenUntilEnd(server)}/api`

/** A keychain that refuses everything. */
const brokenKeychain = (trouble: 'missing' | 'locked'): KeyStore => {
  const refuse = () => Promise.resolve({ ok: false, trouble } as const)
  return { storage: 'keychain', read: refuse, write: refuse, remove: refuse }
}
const keychain = (keys: readonly (readonly [string, string])[] = []): KeyStore => ({
  ...createSessionKeyStore(keys),
  storage: 'keychain',
})

/** Lets a service reject the key of a connection whose time only the test advances. */
async function rejected() {
  const { timing, pass, dueWithin } = holdTime()
  const keyStore = keychain()
  const { connection, baseUrl, requests, now } = await online(
    {},
    { keyStore, timing: { ...timing, random: () => 1 } },
  )
  now.key = 'changed'
  connection.noteError({ kind: 'unauthorized', reason: 'rejected', message: 'no' })
  /** Lets the given number of minutes pass. The stored key is read once a minute. */
  async function minutes(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      pass(60_000)
      await expect.poll(() => dueWithin(60_000)).toBe(1)
    }
  }
  return { connection, baseUrl, requests, now, keyStore, pass, minutes }
}

describe('a key that the service has rejected', () => {
  it('is tried again after five minutes with one call that needs it, and used when the service accepts it', async () => {
    const { connection, requests, now, pass, minutes } = await rejected()
    const views: string[] = []
    connection.onChange(({ state }) => views.push(state.status))
    await minutes(4)
    expect(requests).toEqual([])
    await minutes(1)
    await expect.poll(() => requests).toEqual(['GET /api/health', 'GET /api/presets'])
    expect(views).toEqual([])
    await minutes(4)
    now.key = 'right-key'
    pass(60_000)
    await becomes(connection, 'online')
    expect(views).toEqual(['online'])
  })

  it('is replaced within a minute by another one that was stored', async () => {
    const { connection, baseUrl, keyStore, pass, requests } = await rejected()
    await keyStore.write(new URL(baseUrl).href, 'changed')
    pass(60_000)
    await becomes(connection, 'online')
    expect(requests.filter((request) => request.endsWith('presets'))).toHaveLength(1)
  })

  it('isn’t tried again once it is deleted, or when the connection is closed', async () => {
    const { connection, requests, pass } = await rejected()
    await connection.forgetKey()
    pass(600_000)
    await connection.close()
    pass(600_000)
    expect(requests).toEqual([])
  })
})

describe('on first run', () => {
  it('nothing is configured and nothing is queried', async () => {
    const connection = connect()
    await connection.refreshDrive()
    expect(connection.view()).toMatchObject({ kind: null, state: { status: 'unconfigured' }, key: 'none' })
    expect(connection.api()).toBeUndefined()
  })

  it('a service is found through its health route, without a key', async () => {
    const { baseUrl, requests } = await service({ version: '1.0.90' })
    expect(await discover(baseUrl)).toEqual({ kind: 'service', baseUrl, version: '1.0.90' })
    expect(requests).toEqual(['GET /api/health'])
  })

  it('nothing is found if nothing listens, or at an invalid address', async () => {
    for (const baseUrl of [`http://127.0.0.1:${await freePort()}/api`, 'no address'])
      expect(await discover(baseUrl)).toEqual({ kind: 'nothing', baseUrl })
  })

  it('another program that responds is reported as not being the service', async () => {
    const { baseUrl } = await service({ prefix: '/other' })
    const wrong = baseUrl.replace('/other', '/api')
    expect(await discover(wrong)).toEqual({ kind: 'somethingElse', baseUrl: wrong })
  })
})

/** A built-in service that never finishes starting. */
const startingBuiltIn = (change: Partial<BuiltInService> = {}): BuiltInService => ({
  state: () => ({ kind: 'starting' }),
  onChange: () => () => {},
  onEnded: () => () => {},
  onJobEnded: () => () => {},
  start: () => {},
  steer: () => {},
  stop: () => Promise.resolve(),
  onLeft: () => {},
  leave: () => Promise.resolve(),
  ...change,
})

const usual = async (options?: SmallServiceOptions) => {
  const started = await service(options)
  settings.update({ baseUrl: started.baseUrl.replace('/other', '/api') })
  return started
}
const chosen = (connection: Connection) => expect.poll(() => connection.view().kind).toBe('builtIn')

describe('on first run, with the default address checked', () => {
  it.each([
    ['nothing', async () => (await usual()).close()],
    ['a different program', () => usual({ prefix: '/other' })],
  ])('uses the built-in service without asking when %s responds', async (_, prepare) => {
    await prepare()
    const connection = connect({ builtIn: startingBuiltIn(), discover })
    expect(connection.view().state).toEqual({ status: 'connecting' })
    await chosen(connection)
    expect(settings.view().connection).toBe('builtIn')
  })

  it('leaves the choice to the user when another service responds', async () => {
    await usual()
    const connection = connect({ builtIn: startingBuiltIn(), discover })
    await becomes(connection, 'unconfigured')
    expect([connection.view().kind, settings.view().connection]).toEqual([null, null])
  })

  it('keeps a choice that was made during the check', async () => {
    const { baseUrl } = await service()
    const found = Promise.withResolvers<Awaited<ReturnType<typeof discover>>>()
    const connection = connect({ builtIn: startingBuiltIn(), discover: () => found.promise })
    await connection.useExternal(session(baseUrl))
    found.resolve({ kind: 'nothing', baseUrl: settings.view().baseUrl })
    await found.promise
    expect([connection.view().kind, settings.view().connection]).toEqual(['external', 'external'])
  })

  it('uses the built-in service for this run when the settings can’t be written', async () => {
    await (await usual()).close()
    const readOnly: Settings = {
      ...settings,
      update() {
        throw new Error('ENOSPC')
      },
    }
    await chosen(connect({ settings: readOnly, builtIn: startingBuiltIn(), discover }))
  })
})

describe('an external service', () => {
  it('is online once its address and key have been tested, on any port and with any path prefix', async () => {
    const { baseUrl } = await service({ prefix: '/tools/media' })
    const connection = connect({ keyStore: keychain() })
    const used = await connection.useExternal({ baseUrl: `${baseUrl}/`, key: 'right-key', keep: 'keychain' })
    expect(used).toEqual({ ok: true, version: '1.0.81', storage: 'keychain' })
    expect(connection.view()).toMatchObject({
      kind: 'external',
      baseUrl,
      address: new URL(baseUrl).host,
      state: { status: 'online', version: '1.0.81' },
      key: 'keychain',
      presets: { image: ['Web 2048'], video: ['H.264 1080p'] },
    })
    expect(connection.api()?.baseUrl.href).toBe(baseUrl)
  })

  it('has its key reported for redaction before the key is sent anywhere, even for a test', async () => {
    const { baseUrl, requests } = await service()
    const told: string[] = []
    const connection = connect({
      onKey(key) {
        told.push(`${key} after ${requests.length} requests`)
      },
    })
    await connection.testKey({ baseUrl, key: 'wrong-key' })
    expect(told).toEqual(['wrong-key after 0 requests'])
    await connection.useExternal(session(baseUrl))
    expect(new Set(told.map((line) => line.split(' ')[0]))).toEqual(new Set(['wrong-key', 'right-key']))
  })

  it('is connected again after the app restarts', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    await connect({ keyStore }).useExternal(inKeychain(baseUrl))
    const again = connect({ keyStore })
    expect(again.view().state.status).toBe('connecting')
    await becomes(again, 'online')
    expect(again.view().key).toBe('keychain')
  })

  it('is not used if it refuses the key, and the previous service remains in use', async () => {
    const first = await service()
    const second = await service({ key: 'another-key' })
    const keyStore = keychain()
    const connection = connect({ keyStore })
    await connection.useExternal(inKeychain(first.baseUrl))
    const refused = await connection.useExternal(inKeychain(second.baseUrl))
    expect(refused).toMatchObject({ ok: false, why: 'keyRefused' })
    expect(connection.view()).toMatchObject({ baseUrl: first.baseUrl, state: { status: 'online' } })
    expect(await keyStore.read(second.baseUrl)).toEqual({ ok: true, value: null })
  })

  it('is tested without storing or changing anything', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    const connection = connect({ keyStore })
    const before = connection.view()
    expect(await connection.testKey({ baseUrl, key: 'right-key' })).toEqual({
      ok: true,
      version: '1.0.81',
      storage: 'none',
    })
    const elsewhere = await urlOf(createServer((_, response) => response.end('<p>Welcome</p>')))
    for (const [candidate, why] of [
      [{ baseUrl, key: 'wrong' }, 'keyRefused'],
      [{ baseUrl, key: 'line\nbreak' }, 'badKey'],
      [{ baseUrl: 'ftp://x', key: 'k' }, 'badAddress'],
      [{ baseUrl: `${baseUrl}/deeper`, key: 'k' }, 'notTheService'],
      [{ baseUrl: elsewhere, key: 'k' }, 'notTheService'],
      [{ baseUrl: `http://127.0.0.1:${await freePort()}/api`, key: 'k' }, 'notReachable'],
    ] as const)
      expect(await connection.testKey(candidate)).toMatchObject({ ok: false, why })
    expect(connection.view()).toBe(before)
    expect(await keyStore.read(baseUrl)).toEqual({ ok: true, value: null })
  })

  it('whose key has changed is unusable until the user enters the new one', async () => {
    const keyStore = keychain()
    const { connection, baseUrl, now, requests } = await online({}, { keyStore })
    now.key = 'new-key'
    const api = connection.api()
    connection.noteError({ kind: 'unauthorized', reason: 'rejected', message: 'no' }, api)
    expect(connection.view().state).toEqual({ status: 'keyRefused' })
    expect(connection.api()).toBeUndefined()
    expect(requests).toEqual([])

    expect(await connection.replaceKey({ key: 'wrong', keep: 'keychain' })).toMatchObject({
      why: 'keyRefused',
    })
    expect(await keyStore.read(baseUrl)).toEqual({ ok: true, value: 'right-key' })
    expect(await connection.replaceKey({ key: 'new-key', keep: 'keychain' })).toMatchObject({ ok: true })
    expect(connection.view().state.status).toBe('online')
    expect(await keyStore.read(baseUrl)).toEqual({ ok: true, value: 'new-key' })

    connection.noteError({ kind: 'unauthorized', reason: 'rejected', message: 'late' }, api)
    expect(connection.view().state.status).toBe('online')
  })

  it('is not used after its key was removed, even after a restart', async () => {
    const keyStore = keychain()
    const { connection, requests } = await online({}, { keyStore })
    await connection.forgetKey()
    expect(connection.view()).toMatchObject({ key: 'none', state: { status: 'keyRefused' }, presets: null })
    requests.splice(0)
    const again = connect({ keyStore })
    await becomes(again, 'keyRefused')
    expect(requests).toEqual(['GET /api/health'])
  })

  it('reports why its key can’t be removed from the keychain', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    const locked = {
      ...keyStore,
      remove: () => Promise.resolve({ ok: false, trouble: 'locked' } as const),
    }
    const connection = connect({ keyStore: locked })
    await connection.useExternal(inKeychain(baseUrl))
    await connection.forgetKey()
    expect(connection.view()).toMatchObject({ key: 'none', keychainTrouble: 'locked' })
  })

  it('suppresses the built-in service’s job-end events while it is in use', async () => {
    const { baseUrl } = await service()
    const listeners = new Set<() => void>()
    const builtIn = startingBuiltIn({
      onJobEnded(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    const connection = connect({ builtIn })
    let told = 0
    const stop = connection.onBuiltInJobEnded(() => void told++)
    const jobEnds = () => {
      for (const listener of listeners) listener()
    }
    connection.useBuiltIn()
    jobEnds()
    expect(told).toBe(1)
    await connection.useExternal(session(baseUrl))
    jobEnds()
    expect(told).toBe(1)
    connection.useBuiltIn()
    stop()
    jobEnds()
    expect(told).toBe(1)
  })

  it('stops the built-in service when it takes over, but not if it refuses the key', async () => {
    const { baseUrl } = await service()
    const done: string[] = []
    const builtIn = startingBuiltIn({
      start: () => done.push('start'),
      stop: () => Promise.resolve(void done.push('stop')),
    })
    const connection = connect({ builtIn })
    connection.useBuiltIn()
    await connection.useExternal({ baseUrl, key: 'wrong', keep: 'session' })
    expect(done).toEqual(['start'])
    await connection.useExternal(session(baseUrl))
    expect(done).toEqual(['start', 'stop'])
  })

  it('goes offline when it stops, and online automatically when it is back', async () => {
    const first = await startSmallService()
    const connection = connect()
    await connection.useExternal(session(first.baseUrl))
    await first.close()
    connection.noteError({ kind: 'notReachable', reason: 'ECONNREFUSED', message: 'refused' })
    const view = await becomes(connection, 'offline')
    expect(view.state).toMatchObject({ reason: 'refused' })
    await service({ port: first.port })
    await becomes(connection, 'online')
  })

  it('stays online after a single broken connection', async () => {
    const { connection, requests } = await online()
    const states: string[] = []
    connection.onChange((view) => states.push(view.state.status))
    requests.splice(0)
    connection.noteError({ kind: 'noAnswer', reason: 'ECONNRESET', message: 'reset' })
    await expect.poll(() => requests.length).toBe(3)
    expect(states).toEqual([])
  })

  it('is offline while its job list can’t be read, even if its health and presets can', async () => {
    const { connection, now } = await online()
    now.list = 'html'
    const states: string[] = []
    connection.onChange((view) => states.push(view.state.status))
    connection.noteError({ kind: 'badResponse', route: 'GET /jobs', field: 'body', message: 'no JSON' })
    expect(await becomes(connection, 'offline')).toMatchObject({ state: { reason: 'notTheService' } })
    connection.retry()
    now.list = 'jobs'
    await becomes(connection, 'online')
    expect(states).toEqual(['offline', 'online'])
  })

  it('that never responds is reported as silent; a different program is reported as not being the service', async () => {
    const silent = await urlOf(createTcpServer(() => {}))
    settings.update({ connection: 'external', baseUrl: silent })
    const first = connect({ keyStore: keychain([[silent, 'k']]), patience: 100 })
    expect((await becomes(first, 'offline')).state).toMatchObject({ reason: 'silent' })
    await first.close()

    const other = await urlOf(createServer((_, response) => response.end('<html>hello</html>')))
    settings.update({ baseUrl: other })
    const second = connect({ keyStore: keychain([[other, 'k']]) })
    expect((await becomes(second, 'offline')).state).toMatchObject({ reason: 'notTheService' })
  })

  it('with another version is online and reports that version, unless version checking is strict', async () => {
    const { connection, requests } = await online({ version: '1.0.90' })
    expect(connection.view().state).toEqual({ status: 'online', version: '1.0.90' })

    requests.splice(0)
    settings.update({ strictVersion: true })
    await becomes(connection, 'wrongVersion')
    expect(connection.api()).toBeUndefined()
    expect(requests).toEqual(['GET /api/health'])

    settings.update({ acceptedVersions: ['1.0.90'] })
    await becomes(connection, 'online')
  })

  it('reports whether it can read this computer’s files', async () => {
    const { connection } = await online()
    expect(connection.view().seesFiles).toBe(true)
    settings.update({ seesFiles: false })
    expect(connection.view().seesFiles).toBe(false)
  })

  it('reports its drive and refreshes its presets on request', async () => {
    const { connection } = await online()
    expect(connection.view().drive).toBeNull()
    await connection.refreshDrive()
    expect(connection.view().drive).toMatchObject({ connected: true, email: 'a@example.org' })
    const before = connection.view()
    await connection.refreshPresets()
    expect(connection.view()).toBe(before)
  })
})

describe('without a usable keychain', () => {
  it.each(['missing', 'locked'] as const)(
    'that is %s, the key can be kept for this session',
    async (trouble) => {
      const { baseUrl } = await service()
      const connection = connect({ keyStore: brokenKeychain(trouble) })
      const choice = { baseUrl, key: 'right-key' }
      expect(await connection.useExternal({ ...choice, keep: 'keychain' })).toEqual({
        ok: false,
        why: 'noKeychain',
      })
      expect(connection.view()).toMatchObject({ keychainTrouble: trouble, state: { status: 'unconfigured' } })

      expect(await connection.useExternal({ ...choice, keep: 'session' })).toMatchObject({
        storage: 'session',
      })
      expect(connection.view()).toMatchObject({
        keychainTrouble: trouble,
        key: 'session',
        state: { status: 'online' },
      })
    },
  )

  it('a key kept for this session is forgotten after a restart, and so is the key stored before it', async () => {
    const keyStore = keychain()
    const { connection, now } = await online({}, { keyStore })
    now.key = 'second-key'
    await connection.replaceKey({ key: 'second-key', keep: 'session' })
    expect(connection.view()).toMatchObject({ key: 'session', state: { status: 'online' } })
    const again = connect({ keyStore })
    expect((await becomes(again, 'keyRefused')).key).toBe('none')
  })

  it('the app asks for the key again after a restart, and explains why', async () => {
    const { baseUrl } = await service()
    settings.update({ connection: 'external', baseUrl })
    const connection = connect({ keyStore: brokenKeychain('locked') })
    const view = await becomes(connection, 'keyRefused')
    expect(view).toMatchObject({ key: 'none', keychainTrouble: 'locked' })
  })

  it('a retry finds the key once the keychain is unlocked', async () => {
    const { baseUrl } = await service()
    settings.update({ connection: 'external', baseUrl })
    let keyStore = brokenKeychain('locked')
    const changing: KeyStore = {
      storage: 'keychain',
      read: (account) => keyStore.read(account),
      write: (account, key) => keyStore.write(account, key),
      remove: (account) => keyStore.remove(account),
    }
    const connection = connect({ keyStore: changing })
    await becomes(connection, 'keyRefused')
    keyStore = keychain([[baseUrl, 'right-key']])
    connection.retry()
    const view = await becomes(connection, 'online')
    expect(view).toMatchObject({ key: 'keychain', keychainTrouble: null })
  })
})

describe('while another operation is pending', () => {
  it('win in any order of responses', async () => {
    const slow = await service()
    const quick = await service()
    const letGo = Promise.withResolvers<void>()
    slow.now.held = letGo.promise
    const connection = connect()
    const first = connection.useExternal(session(slow.baseUrl))
    await connection.useExternal(session(quick.baseUrl))
    letGo.resolve()
    await first
    expect(connection.view().baseUrl).toBe(quick.baseUrl)
    expect(connection.api()?.baseUrl.href).toBe(quick.baseUrl)
    expect(settings.view().baseUrl).toBe(quick.baseUrl)
  })

  it('choosing the built-in service is not undone by the external service’s response', async () => {
    const slow = await service()
    const letGo = Promise.withResolvers<void>()
    slow.now.held = letGo.promise
    const keyStore = keychain()
    const connection = connect({ keyStore })
    const first = connection.useExternal(inKeychain(slow.baseUrl))
    connection.useBuiltIn()
    letGo.resolve()
    await first
    expect(connection.view()).toMatchObject({ kind: 'builtIn', state: { reason: 'builtInFailed' } })
    expect(await keyStore.read(slow.baseUrl)).toEqual({ ok: true, value: null })
  })

  it('removing the key is not undone by a check that was already using it', async () => {
    const { connection, baseUrl, now } = await online({}, { keyStore: keychain() })
    const letGo = Promise.withResolvers<void>()
    now.held = letGo.promise
    connection.retry()
    await connection.forgetKey()
    letGo.resolve()
    await connection.testKey({ baseUrl, key: 'right-key' })
    expect(connection.view()).toMatchObject({ key: 'none', state: { status: 'keyRefused' } })
  })

  it('many failed requests cause a single check', async () => {
    const { connection, baseUrl, requests } = await online()
    for (let times = 0; times < 20; times++) {
      connection.noteError({ kind: 'noAnswer', reason: 'ECONNRESET', message: 'reset' }, connection.api())
    }
    await expect.poll(() => requests.length).toBe(3)
    await connection.testKey({ baseUrl, key: 'right-key' })
    expect(requests).toHaveLength(5)
  })
})

describe('the key', () => {
  it('doesn’t appear in any view, result or settings file', async () => {
    const { baseUrl } = await service({ key: 'sesame-4711' })
    const connection = connect({ keyStore: keychain() })
    const seen: unknown[] = []
    connection.onChange((view) => seen.push(view))
    seen.push(await connection.useExternal({ baseUrl, key: 'sesame-4711', keep: 'keychain' }))
    seen.push(await connection.useExternal({ baseUrl: `${baseUrl}/x`, key: 'sesame-4711', keep: 'keychain' }))
    seen.push(connection.view(), settings.view())
    expect(JSON.stringify(seen)).not.toContain('sesame')
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createConnection,
  createSessionKeyStore,
  discover,
  type BuiltInService,
  type Connection,
  type ConnectionDeps,
  type KeyStore,
} from '../../../src/main/connection/index.ts'
import { createSettings, openSettingsFile, type Settings } from '../../../src/main/settings/settings.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { eventually } from './eventually.ts'
import { startSmallService, type SmallService, type SmallServiceOptions } from './small-service.ts'

let folder: string
let settings: Settings
const opened: { close(): Promise<void> }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-connection-'))
  settings = createSettings(openSettingsFile(join(folder, 'config.json')))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((thing) => thing.close()))
  await rm(folder, { recursive: true, force: true })
})

async function service(options?: SmallServiceOptions): Promise<SmallService> {
  const started = await startSmallService(options)
  opened.push(started)
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
  opened.push(connection)
  return connection
}

const becomes = (connection: Connection, status: string) =>
  eventually(
    () => connection.view(),
    (view) => view.state.status === status,
  )

const urlOf = (server: { address(): unknown }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`

/** A keychain that refuses everything. */
const brokenKeychain = (trouble: 'missing' | 'locked'): KeyStore => {
  const refuse = () => Promise.resolve({ ok: false, trouble } as const)
  return { storage: 'keychain', read: refuse, write: refuse, remove: refuse }
}
const keychain = (keys: readonly (readonly [string, string])[] = []): KeyStore => ({
  ...createSessionKeyStore(keys),
  storage: 'keychain',
})

describe('at first run', () => {
  it('nothing is configured and nothing is asked', async () => {
    const connection = connect()
    expect(connection.view()).toMatchObject({ kind: null, state: { status: 'unconfigured' }, key: 'none' })
    expect(connection.api()).toBeUndefined()
  })

  it('a service is found by its health, without a key', async () => {
    const { baseUrl, requests } = await service({ version: '1.0.90' })
    expect(await discover(baseUrl)).toEqual({ kind: 'service', baseUrl, version: '1.0.90' })
    expect(requests).toEqual(['GET /api/health'])
  })

  it('nothing is found where nothing listens', async () => {
    const ended = await startSmallService()
    const { baseUrl } = ended
    await ended.close()
    expect(await discover(baseUrl)).toEqual({ kind: 'nothing', baseUrl })
  })

  it('nothing is found at what is no address', async () => {
    expect(await discover('no address')).toEqual({ kind: 'nothing', baseUrl: 'no address' })
  })

  it('something else is found where something else answers', async () => {
    const { baseUrl } = await service({ prefix: '/other' })
    const wrong = baseUrl.replace('/other', '/api')
    expect(await discover(wrong)).toEqual({ kind: 'somethingElse', baseUrl: wrong })
  })
})

describe('an external service', () => {
  it('is online after its address and key were tested, at any port and prefix', async () => {
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

  it('has its key told before it is sent anywhere, also when it is only tested', async () => {
    const { baseUrl, requests } = await service()
    const told: string[] = []
    const connection = connect({
      onKey(key) {
        told.push(`${key} after ${requests.length} requests`)
      },
    })
    await connection.testKey({ baseUrl, key: 'wrong-key' })
    expect(told).toEqual(['wrong-key after 0 requests'])
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    expect(new Set(told.map((line) => line.split(' ')[0]))).toEqual(new Set(['wrong-key', 'right-key']))
  })

  it('is found again after a restart of the app', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    await connect({ keyStore }).useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    const again = connect({ keyStore })
    expect(again.view().state.status).toBe('connecting')
    await becomes(again, 'online')
    expect(again.view().key).toBe('keychain')
  })

  it('is not used when it refuses the key, and what was in use stays in use', async () => {
    const first = await service()
    const second = await service({ key: 'another-key' })
    const keyStore = keychain()
    const connection = connect({ keyStore })
    await connection.useExternal({ baseUrl: first.baseUrl, key: 'right-key', keep: 'keychain' })
    const refused = await connection.useExternal({
      baseUrl: second.baseUrl,
      key: 'right-key',
      keep: 'keychain',
    })
    expect(refused).toMatchObject({ ok: false, why: 'keyRefused' })
    expect(connection.view()).toMatchObject({ baseUrl: first.baseUrl, state: { status: 'online' } })
    expect(await keyStore.read(second.baseUrl)).toEqual({ ok: true, value: null })
  })

  it('is tested without anything being kept or changed', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    const connection = connect({ keyStore })
    const before = connection.view()
    expect(await connection.testKey({ baseUrl, key: 'right-key' })).toEqual({
      ok: true,
      version: '1.0.81',
      storage: 'none',
    })
    expect(await connection.testKey({ baseUrl, key: 'wrong' })).toMatchObject({
      ok: false,
      why: 'keyRefused',
    })
    expect(await connection.testKey({ baseUrl, key: 'line\nbreak' })).toMatchObject({
      ok: false,
      why: 'badKey',
    })
    expect(await connection.testKey({ baseUrl: 'ftp://x', key: 'k' })).toMatchObject({
      ok: false,
      why: 'badAddress',
    })
    expect(await connection.testKey({ baseUrl: `${baseUrl}/deeper`, key: 'k' })).toMatchObject({
      ok: false,
      why: 'notTheService',
    })
    const elsewhere = createServer((_, response) => response.end('<p>Welcome</p>'))
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    expect(await connection.testKey({ baseUrl: urlOf(elsewhere), key: 'k' })).toMatchObject({
      ok: false,
      why: 'notTheService',
    })
    const nowhere = urlOf(elsewhere)
    elsewhere.closeAllConnections()
    await new Promise((resolve) => elsewhere.close(resolve))
    expect(await connection.testKey({ baseUrl: nowhere, key: 'k' })).toMatchObject({
      ok: false,
      why: 'notReachable',
    })
    expect(connection.view()).toBe(before)
    expect(await keyStore.read(baseUrl)).toEqual({ ok: true, value: null })
  })

  it('that changes its key is refused until the new one is given', async () => {
    const { baseUrl, now } = await service()
    const keyStore = keychain()
    const connection = connect({ keyStore })
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    now.key = 'new-key'
    const api = connection.api()
    connection.noteError({ kind: 'unauthorized', reason: 'rejected', message: 'no' }, api)
    expect(connection.view().state).toEqual({ status: 'keyRefused' })
    expect(connection.api()).toBeUndefined()

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

  it('is not used any more once its key was forgotten, also after a restart', async () => {
    const { baseUrl, requests } = await service()
    const keyStore = keychain()
    const connection = connect({ keyStore })
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    await connection.forgetKey()
    expect(connection.view()).toMatchObject({ key: 'none', state: { status: 'keyRefused' }, presets: null })
    requests.splice(0)
    const again = connect({ keyStore })
    await becomes(again, 'keyRefused')
    expect(requests).toEqual(['GET /api/health'])
  })

  it('whose key can’t be taken out of the keychain says why', async () => {
    const { baseUrl } = await service()
    const keyStore = keychain()
    const locked = {
      ...keyStore,
      remove: () => Promise.resolve({ ok: false, trouble: 'locked' } as const),
    }
    const connection = connect({ keyStore: locked })
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    await connection.forgetKey()
    expect(connection.view()).toMatchObject({ key: 'none', keychainTrouble: 'locked' })
  })

  it('passes on that a job of the built-in one has ended while that is in use', async () => {
    const { baseUrl } = await service()
    const listeners = new Set<() => void>()
    const builtIn: BuiltInService = {
      state: () => ({ kind: 'starting' }),
      onChange: () => () => {},
      onEnded: () => () => {},
      onJobEnded(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      start: () => {},
      stop: () => Promise.resolve(),
    }
    const connection = connect({ builtIn })
    let told = 0
    const stop = connection.onBuiltInJobEnded(() => void told++)
    const jobEnds = () => {
      for (const listener of listeners) listener()
    }
    connection.useBuiltIn()
    jobEnds()
    expect(told).toBe(1)
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    jobEnds()
    expect(told).toBe(1)
    connection.useBuiltIn()
    stop()
    jobEnds()
    expect(told).toBe(1)
  })

  it('ends the built-in one once it is used, and not where it can’t be', async () => {
    const { baseUrl } = await service()
    const done: string[] = []
    const builtIn: BuiltInService = {
      state: () => ({ kind: 'starting' }),
      onChange: () => () => {},
      onEnded: () => () => {},
      onJobEnded: () => () => {},
      start: () => done.push('start'),
      stop: () => Promise.resolve(void done.push('stop')),
    }
    const connection = connect({ builtIn })
    connection.useBuiltIn()
    await connection.useExternal({ baseUrl, key: 'wrong', keep: 'session' })
    expect(done).toEqual(['start'])
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    expect(done).toEqual(['start', 'stop'])
  })

  it('that ends is offline, and online again by itself when it is back', async () => {
    const first = await startSmallService()
    const connection = connect()
    await connection.useExternal({ baseUrl: first.baseUrl, key: 'right-key', keep: 'session' })
    await first.close()
    connection.noteError({ kind: 'notReachable', reason: 'ECONNREFUSED', message: 'refused' })
    const view = await becomes(connection, 'offline')
    expect(view.state).toMatchObject({ reason: 'refused' })
    await service({ port: first.port })
    await becomes(connection, 'online')
  })

  it('stays online after a single broken connection', async () => {
    const { baseUrl, requests } = await service()
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    const states: string[] = []
    connection.onChange((view) => states.push(view.state.status))
    requests.splice(0)
    connection.noteError({ kind: 'noAnswer', reason: 'ECONNRESET', message: 'reset' })
    await eventually(
      () => requests.length,
      (count) => count === 2,
    )
    expect(states).toEqual([])
  })

  it('is not asked by the connection while it is online', async () => {
    const { baseUrl, requests } = await service()
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    requests.splice(0)
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 300)
    await promise
    expect(requests).toEqual([])
  })

  it('that never answers is silent, and something else is not the service', async () => {
    const silent = createTcpServer(() => {})
    const other = createServer((_, response) => response.end('<html>hello</html>'))
    for (const server of [silent, other]) {
      const listening = Promise.withResolvers<void>()
      server.listen(0, '127.0.0.1', listening.resolve)
      await listening.promise
      opened.push({ close: async () => void server.close() })
    }

    settings.update({ connection: 'external', baseUrl: urlOf(silent) })
    const first = connect({ keyStore: keychain([[urlOf(silent), 'k']]), patience: 100 })
    expect((await becomes(first, 'offline')).state).toMatchObject({ reason: 'silent' })
    await first.close()

    settings.update({ baseUrl: urlOf(other) })
    const second = connect({ keyStore: keychain([[urlOf(other), 'k']]) })
    expect((await becomes(second, 'offline')).state).toMatchObject({ reason: 'notTheService' })
  })

  it('of another version is online with that version, unless the settings are strict', async () => {
    const { baseUrl, requests } = await service({ version: '1.0.90' })
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    expect(connection.view().state).toEqual({ status: 'online', version: '1.0.90' })

    requests.splice(0)
    settings.update({ strictVersion: true })
    await becomes(connection, 'wrongVersion')
    expect(connection.api()).toBeUndefined()
    expect(requests).toEqual(['GET /api/health'])

    settings.update({ acceptedVersions: ['1.0.90'] })
    await becomes(connection, 'online')
  })

  it('says whether it sees the files of this computer', async () => {
    const { baseUrl } = await service()
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    expect(connection.view().seesFiles).toBe(true)
    settings.update({ seesFiles: false })
    expect(connection.view().seesFiles).toBe(false)
  })

  it('tells of its drive and of new presets when it is asked to', async () => {
    const { baseUrl } = await service()
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
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
        detail: trouble,
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

  it('a key kept for this session is not known after a restart, nor is an older one', async () => {
    const { baseUrl, now } = await service()
    const keyStore = keychain()
    const connection = connect({ keyStore })
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    now.key = 'second-key'
    await connection.replaceKey({ key: 'second-key', keep: 'session' })
    expect(connection.view()).toMatchObject({ key: 'session', state: { status: 'online' } })
    const again = connect({ keyStore })
    expect((await becomes(again, 'keyRefused')).key).toBe('none')
  })

  it('a restart asks for the key again and says why', async () => {
    const { baseUrl } = await service()
    settings.update({ connection: 'external', baseUrl })
    const connection = connect({ keyStore: brokenKeychain('locked') })
    const view = await becomes(connection, 'keyRefused')
    expect(view).toMatchObject({ key: 'none', keychainTrouble: 'locked' })
  })

  it('that is opened later, trying again finds the key', async () => {
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

describe('choices that overtake each other', () => {
  it('end with the last one, whichever answer comes last', async () => {
    const slow = await service()
    const quick = await service()
    const letGo = Promise.withResolvers<void>()
    slow.now.held = letGo.promise
    const connection = connect()
    const first = connection.useExternal({ baseUrl: slow.baseUrl, key: 'right-key', keep: 'session' })
    await connection.useExternal({ baseUrl: quick.baseUrl, key: 'right-key', keep: 'session' })
    letGo.resolve()
    await first
    expect(connection.view().baseUrl).toBe(quick.baseUrl)
    expect(connection.api()?.baseUrl.href).toBe(quick.baseUrl)
    expect(settings.view().baseUrl).toBe(quick.baseUrl)
  })
})

describe('choices made while another one is under way', () => {
  it('for the built-in service are not undone by the answer of the external one', async () => {
    const slow = await service()
    const letGo = Promise.withResolvers<void>()
    slow.now.held = letGo.promise
    const keyStore = keychain()
    const connection = connect({ keyStore })
    const first = connection.useExternal({ baseUrl: slow.baseUrl, key: 'right-key', keep: 'keychain' })
    connection.useBuiltIn()
    letGo.resolve()
    await first
    expect(connection.view()).toMatchObject({ kind: 'builtIn', state: { reason: 'builtInFailed' } })
    expect(await keyStore.read(slow.baseUrl)).toEqual({ ok: true, value: null })
  })

  it('to forget the key are not undone by a check that began with it', async () => {
    const { baseUrl, now } = await service()
    const connection = connect({ keyStore: keychain() })
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'keychain' })
    const letGo = Promise.withResolvers<void>()
    now.held = letGo.promise
    connection.retry()
    await connection.forgetKey()
    letGo.resolve()
    await connection.testKey({ baseUrl, key: 'right-key' })
    expect(connection.view()).toMatchObject({ key: 'none', state: { status: 'keyRefused' } })
  })

  it('of many broken requests ask the service once', async () => {
    const { baseUrl, requests } = await service()
    const connection = connect()
    await connection.useExternal({ baseUrl, key: 'right-key', keep: 'session' })
    requests.splice(0)
    for (let times = 0; times < 20; times++) {
      connection.noteError({ kind: 'noAnswer', reason: 'ECONNRESET', message: 'reset' }, connection.api())
    }
    await eventually(
      () => requests.length,
      (count) => count === 2,
    )
    await connection.testKey({ baseUrl, key: 'right-key' })
    expect(requests).toHaveLength(4)
  })
})

describe('the key', () => {
  it('is in no view, no result and no settings file', async () => {
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

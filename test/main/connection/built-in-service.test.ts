import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import {
  createBuiltInService,
  createConnection,
  spawnService,
  type BuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
} from '../../../src/main/connection/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { SERVICE } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { createSessionKeyStore } from './session-key-store.ts'

const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']
const CRASHING = new URL('crashing-service.ts', import.meta.url).pathname

let dataDir: string
beforeEach(() => {
  dataDir = temporaryFolder()
})

/** Timing with the monotonic clock of a computer that has been on for days. */
const ON_FOR_DAYS = { ...systemTiming, monotonic: () => 1_000_000_000 + systemTiming.monotonic() }

function builtIn(behavior: string, change: Partial<BuiltInServiceDeps> = {}): BuiltInService {
  const spawn = spawnService(process.execPath, CRASHING, NODE_OPTIONS)
  const service = createBuiltInService({
    spawn: ({ args }) => spawn({ args: [...args, '--behavior', behavior] }),
    dataDir,
    timing: ON_FOR_DAYS,
    limits: { start: 60_000, stop: 60_000, crashes: 3, firstWait: 1 },
    ...change,
  })
  onTestFinished(() => service.stop())
  return service
}

async function becomes(service: BuiltInService, wanted: BuiltInState['kind']): Promise<BuiltInState> {
  await expect.poll(() => service.state().kind).toBe(wanted)
  return service.state()
}

const Start = z.object({ port: z.string() })
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
  it('counts as running once it listens, and has a new key at each start', async () => {
    const service = builtIn('serve', { spawn: spawnService(process.execPath, SERVICE, NODE_OPTIONS) })
    const keys = new Set<string>()
    for (let start = 0; start < 2; start++) {
      service.start()
      const state = await becomes(service, 'running')
      expect(await answers(`${baseUrlOf(state)}/health`)).toBe(true)
      const key = state.kind === 'running' ? state.key : ''
      expect(key).toMatch(/^[\w-]{43}$/)
      keys.add(key)
      for (const file of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
        if (file.isFile()) expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(key)
      }
      await service.stop()
      expect(service.state()).toEqual({ kind: 'stopped' })
      expect(await answers(`${baseUrlOf(state)}/health`)).toBe(false)
      expect(await readdir(dataDir)).not.toContain('owner.key')
    }
    expect(keys.size).toBe(2)
  })

  it('fails with the reason if it can’t be started at all', async () => {
    const service = builtIn('serve', { spawn: spawnService(join(dataDir, 'no-such-node'), CRASHING) })
    service.start()
    expect(await becomes(service, 'failed')).toMatchObject({ reason: expect.stringContaining('ENOENT') })
  })

  itInLongSuite('reaches the last requested state, even if requests follow in quick succession', async () => {
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
  onTestFinished(() => connection.close())
  return { settings, connection }
}

describe('a connection to the built-in service', () => {
  it('is online once the service listens, is connecting during a restart, and is stored as the user’s choice', async () => {
    const service = builtIn('serve')
    const { settings, connection } = connect(service)
    const states: string[] = []
    connection.onChange(({ state }) => {
      if (states.at(-1) !== state.status) states.push(state.status)
    })
    connection.useBuiltIn()
    await expect.poll(() => states.at(-1)).toBe('online')
    expect(connection.view()).toMatchObject({ kind: 'builtIn', key: 'session', seesFiles: true })
    expect(settings.view().connection).toBe('builtIn')
    // The built-in service always reads this computer's files, regardless of this setting.
    settings.update({ seesFiles: false })
    expect(connection.view().seesFiles).toBe(true)
    await answers(`${connection.view().baseUrl}/crash`)
    await expect.poll(() => states).toEqual(['connecting', 'online', 'connecting', 'online'])
    connection.retry()
    expect(connection.view().state.status).toBe('online')
    await connection.close()
    expect(service.state()).toEqual({ kind: 'stopped' })
  })

  itInLongSuite(
    'goes offline with the reason after the last failed restart, and starts the service again on request',
    async () => {
      const { connection } = connect(builtIn('fail'))
      connection.useBuiltIn()
      await expect
        .poll(() => connection.view().state)
        .toMatchObject({
          status: 'offline',
          reason: 'builtInFailed',
          detail: 'exit code 7: cannot go on',
        })
      expect(await starts()).toHaveLength(3)
      connection.retry()
      expect(connection.view().state.status).toBe('connecting')
    },
  )
})

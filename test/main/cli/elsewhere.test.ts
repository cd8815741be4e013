/** A service that does not see this computer's files, and goes on when a command ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createBuiltInService,
  createSessionKeyStore,
  spawnService,
  type BuiltInService,
} from '../../../src/main/connection/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import { COMMAND, SERVICE } from '../../entries.ts'
import { realTiming, run } from './command.ts'

const samples = resolve(import.meta.dirname, '../../../assets/samples')
const photo = join(samples, 'dawn-upright.jpg')

let folder = ''
let out = ''
let service: BuiltInService
let api: ServiceApi
let env: Record<string, string> = {}
let baseUrl = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-elsewhere-'))
  out = join(folder, 'out')
  await mkdir(out)
  service = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    keyStore: createSessionKeyStore(),
    timing: realTiming,
    preferredPort: 0,
  })
  const running = await new Promise<{ baseUrl: string; key: string }>((found) => {
    service.onChange((state) => void (state.kind === 'running' && found(state)))
    service.start()
  })
  baseUrl = running.baseUrl
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) throw new Error(parsed.why)
  api = createServiceApi({ baseUrl: parsed.value, key: () => running.key })
  env = { MEDIATRAY_DATA_DIR: join(folder, 'data'), MEDIATRAY_API_KEY: running.key }
})
afterEach(async () => {
  await api.close()
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const command = (...argv: string[]) =>
  run([...argv, '--base-url', baseUrl], { env, cwd: folder, timing: realTiming })
const shown = async () => (await readdir(out)).filter((name) => !name.startsWith('.'))

const over = async () => {
  const jobs = await api.jobs()
  return jobs.ok && jobs.value.jobs.every(({ status }) => status === 'completed')
}

test('results of a job that nobody waited for are fetched by “outbox send”', async () => {
  expect(await command('submit', photo, '--upload', '--output', out)).toMatchObject({ code: 0 })
  await expect.poll(over).toBe(true)
  expect(await shown()).toEqual([])
  expect(await command('outbox', 'send')).toMatchObject({ code: 0 })
  expect(await readdir(out)).toEqual(['dawn-upright-basic.jpg'])
  const { events } = await command('history', '--json')
  expect(events[0]).toMatchObject({
    record: {
      outcome: { kind: 'done' },
      results: [{ outputPath: join(out, 'dawn-upright-basic.jpg') }],
    },
  })
})

test('a command that is killed while it fetches leaves the rest to the next, and nothing comes twice', async () => {
  const argv = [
    'submit',
    photo,
    '--count',
    '30',
    '--upload',
    '--wait',
    '--output',
    out,
    '--base-url',
    baseUrl,
  ]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...argv], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  })
  await expect.poll(async () => (await shown()).length, { interval: 2 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(await command('outbox', 'send')).toMatchObject({ code: 0 })
  expect(await readdir(out)).toHaveLength(30)
  const { events } = await command('history', '--json')
  expect(events[0]).toMatchObject({ record: { outcome: { kind: 'done', results: 30 } } })
})

/** A service that can't read this computer's files and keeps running when a command ends. */
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createBuiltInService,
  spawnService,
  type BuiltInService,
} from '../../../src/main/connection/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import { openStore } from '../watch/watched.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { SERVICE } from '../../entries.ts'
import { ownerOf, realTiming, run, runProcess, startCommand, temporaryFolder } from './command.ts'

const samples = resolve(import.meta.dirname, '../../../assets/samples')
const photo = join(samples, 'dawn-upright.jpg')

let folder = ''
let out = ''
let service: BuiltInService
let api: ServiceApi
let env: Record<string, string> = {}
let baseUrl = ''

beforeEach(async () => {
  folder = temporaryFolder()
  out = join(folder, 'out')
  await mkdir(out)
  service = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    timing: realTiming,
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
})

const command = (...argv: string[]) =>
  run([...argv, '--base-url', baseUrl], { env, cwd: folder, timing: realTiming })
const shown = async () => (await readdir(out)).filter((name) => !name.startsWith('.'))

const over = async () => {
  const jobs = await api.jobs()
  return jobs.ok && jobs.value.jobs.every(({ status }) => status === 'completed')
}

itInLongSuite('results of a job that was not awaited are downloaded by “outbox send”', async () => {
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

test('“--service” names a service of the app’s settings other than the one in use', async () => {
  await mkdir(join(folder, 'data'))
  const settings = {
    otherServices: [{ service: baseUrl, seesFiles: true }],
    serviceNames: { [baseUrl]: 'Studio' },
  }
  await writeFile(join(folder, 'data', 'settings.json'), JSON.stringify({ settings }))
  const here = (...argv: string[]) => run(argv, { env, cwd: folder, timing: realTiming })
  const submit = ['submit', photo, '--wait', '--output', out]
  expect(await here(...submit, '--service', 'Studio')).toMatchObject({ code: 0 })
  expect(await shown()).toEqual(['dawn-upright-basic.jpg'])
  const jobs = await api.jobs()
  expect(jobs.ok && jobs.value.jobs).toHaveLength(1)
  const unknown = await here(...submit, '--service', 'Attic')
  expect(unknown).toMatchObject({ code: 2 })
  expect(unknown.stderr).toContain('no service “Attic”. Known: Built-in service, Studio.')
})

itInLongSuite(
  'a result that “download” saves through a link to a watched folder is known to the app',
  async () => {
    await command('submit', photo, '--upload', '--output', out)
    await expect.poll(over).toBe(true)
    const link = join(folder, 'link')
    await symlink(out, link)
    const jobs = await api.jobs()
    const jobId = jobs.ok ? (jobs.value.jobs[0]?.jobId ?? '') : ''
    expect(await command('download', jobId, '--to', link)).toMatchObject({ code: 0 })
    // The owner has fetched the job's result too.
    const processed = openStore(join(folder, 'data', 'state.db'))
    expect((await shown()).some((name) => processed.hasResultAt(join(out, name), 0))).toBe(true)
  },
)

test.each(
  isLongSuite
    ? ([
        ['SIGKILL', 4],
        ['SIGTERM', 0],
      ] as const)
    : [],
)(
  'an owner that %s ends during the download leaves the remaining results to the next one, and no file is saved twice',
  async (signal, code) => {
    const options = ['--count', '20', '--upload', '--wait', '--output', out, '--base-url', baseUrl]
    const child = startCommand(['submit', photo, ...options], { env, cwd: folder })
    await expect.poll(async () => (await shown()).length, { interval: 2 }).toBeGreaterThan(0)
    const closed = once(child, 'close')
    process.kill((await ownerOf(join(folder, 'data'))) ?? 0, signal)
    expect(await closed).toEqual([code, null])
    expect(await command('outbox', 'send')).toMatchObject({ code: 0 })
    expect(await readdir(out)).toHaveLength(20)
    const { events } = await command('history', '--json')
    expect(events[0]).toMatchObject({ record: { outcome: { kind: 'done', results: 20 } } })
  },
)

/** Submits a photo whose result can't be saved because a file is in the way, and then removes that file. */
async function failedDownload(): Promise<string> {
  const inTheWay = join(out, 'results')
  await writeFile(inTheWay, 'a file where the folder should be')
  const { code } = await command('submit', photo, '--upload', '--wait', '--output', inTheWay)
  expect(code).toBe(4)
  await rm(inTheWay)
  return inTheWay
}

itInLongSuite('“outbox send” retries a download that failed', async () => {
  const results = await failedDownload()
  expect(await command('outbox', 'send')).toMatchObject({ code: 0 })
  expect(await readdir(results)).toEqual(['dawn-upright-basic.jpg'])
  const { events } = await command('history', '--json')
  expect(events[0]).toMatchObject({ record: { outcome: { kind: 'done', results: 1 } } })
  expect((await command('outbox', 'send')).stderr).toContain('There is nothing to send.')
})

itInLongSuite('originals of a command that was killed are replaced by “outbox send”', async () => {
  const photos = join(folder, 'photos')
  await mkdir(photos)
  const original = await readFile(photo)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']) await copyFile(photo, join(photos, name))
  const changed = async () => {
    const contents = await Promise.all((await readdir(photos)).map((name) => readFile(join(photos, name))))
    return contents.filter((content) => !content.equals(original)).length
  }
  // Keeps the service busy, so that the command is killed while its job waits.
  await command('submit', photo, '--count', '50', '--output', out)
  const jobs = async () => {
    const answer = await api.jobs()
    return answer.ok ? answer.value.jobs : []
  }
  const [busy] = await jobs()
  const options = ['--preset', 'Thumbnail', '--replace', '--base-url', baseUrl]
  const child = startCommand(['submit', photos, ...options], { env, cwd: folder })
  const newest = async () => {
    const { events } = await command('history', '--json')
    return (events[0] as { record: Pick<PartDetails, 'id' | 'preset' | 'facts' | 'replaced'> }).record
  }
  await expect
    .poll(newest)
    .toMatchObject({ preset: 'Thumbnail', facts: { jobId: expect.any(String) }, replaced: null })
  child.kill('SIGKILL')
  await once(child, 'close')
  await api.cancelJob(busy?.jobId ?? '')
  // A slow computer may have completed the first job meanwhile.
  await expect
    .poll(async () => (await jobs()).map(({ status }) => status))
    .toEqual(['completed', expect.stringMatching(/^(cancelled|completed)$/)])
  expect(await changed()).toBe(0)

  // Only a command in a separate process can decode results.
  const sent = await runProcess(['outbox', 'send', '--base-url', baseUrl], { env, cwd: folder })
  expect(sent.code).toBe(0)
  expect(await changed()).toBe(4)
  expect((await command('outbox', 'send')).stderr).toContain('There is nothing to send.')
  const { id, replaced } = await newest()
  expect(replaced).toEqual({ replaced: 4, kept: 0, restored: 0 })
  expect(await command('undo', id)).toMatchObject({ code: 0 })
  expect(await changed()).toBe(0)
})

itInLongSuite('“retry” after a failed download saves each result once', async () => {
  const results = await failedDownload()
  const { events } = await command('history', '--json')
  const { id } = (events[0] as { record: { id: string } }).record
  // The owner may have fetched it before.
  expect([0, 4]).toContain((await command('retry', id, '--upload', '--wait')).code)
  expect(await command('outbox', 'send')).toMatchObject({ code: 0 })
  expect(await readdir(results)).toEqual(['dawn-upright-basic.jpg'])
})

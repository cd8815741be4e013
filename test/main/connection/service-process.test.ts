/** The media processes (the service, its workers and the thumbnail worker) exit soon after the owner that they work for. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { spawnService, wasServiceLeft } from '../../../src/main/connection/index.ts'
import { connectService, type ServiceLink } from '../../../src/main/connection/service-link.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { PROGRAM_VERSION } from '../../../src/node/version.ts'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { AcceptedJob, ServiceJob } from '../../../src/shared/api/resources.ts'
import { childrenOf, isRunning } from '../../child-processes.ts'
import { WORKER, SERVICE } from '../../entries.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const LAKE = fileURLToPath(new URL('../../../assets/samples/mountain-lake.webp', import.meta.url))
const PARENT = new URL('./media-parent.ts', import.meta.url)
const QUIET = ['--disable-warning=ExperimentalWarning']

let folder: string

beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, 'out'))
})

async function startOwned(...more: readonly string[]) {
  const service = spawnService(
    process.execPath,
    SERVICE,
    QUIET,
  )({
    args: ['--port', '0', '--data-dir', join(folder, 'data'), '--owner', PROGRAM_VERSION, ...more],
  })
  await once(service.stdout, 'data')
  return service
}

async function start(...more: readonly string[]) {
  const service = await startOwned(...more)
  const link = await connectService(join(folder, 'data'), systemTiming.after, 60_000)
  if (link === undefined) throw new Error('The service can’t be reached')
  await processPhoto(link)
  const workers = childrenOf(pidOf(link), WORKER)
  expect(workers).toHaveLength(1)
  return { service, link, workers }
}

const pidOf = ({ mark }: ServiceLink): number => Number.parseInt(mark, 10)

async function processPhoto({ serving: { baseUrl, key } }: ServiceLink): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const filePath = join(folder, 'lake.webp')
  await copyFile(LAKE, filePath)
  const body = JSON.stringify({ filePath, outputFolder: join(folder, 'out') })
  const accepted = await fetch(`${baseUrl}/jobs`, { method: 'POST', headers, body })
  const { jobId } = AcceptedJob.parse(await accepted.json())
  const status = async () =>
    ServiceJob.parse(await (await fetch(`${baseUrl}/jobs/${jobId}`, { headers })).json()).status
  await expect.poll(async () => isInProgress(await status()), { timeout: 30_000 }).toBe(false)
  expect(await status()).toBe('completed')
}

it('the service and its workers exit cleanly on request', async () => {
  const { service, link, workers } = await start()
  link.send({ type: 'end' })
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
  await link.closed
  expect(link.lastJobs()).toMatchObject([{ status: 'completed' }])
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
})

it('the service continues for the next owner, and ends in good order without one', async () => {
  const { service, link, workers } = await start('--alone-ms', '300')
  service.release()
  await link.end()
  const next = await connectService(join(folder, 'data'), systemTiming.after, 60_000)
  expect(next).toMatchObject({ serving: link.serving, mark: link.mark })
  expect(workers.filter(isRunning)).toEqual(workers)
  next?.send({ type: 'leave' })
  await next?.end()
  await expect.poll(() => isRunning(pidOf(link))).toBe(false)
  expect(wasServiceLeft(join(folder, 'data'))).toBe(false)
  const notes = await readFile(join(folder, 'data', 'placed', link.mark), 'utf8')
  expect(notes).toContain('"ended"')
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
})

itInLongSuite('the service ends for an owner of another version, which doesn’t use it', async () => {
  const service = await startOwned('--owner', 'older')
  expect(await connectService(join(folder, 'data'), systemTiming.after, 60_000)).toBeUndefined()
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
})

itInLongSuite('the service leaves no worker behind when it is killed', async () => {
  const { service, workers } = await start()
  service.kill()
  await service.ended
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
})

itInLongSuite('the service and the thumbnail worker end when the app is killed', async () => {
  const parent = fork(PARENT, [join(folder, 'data')], { execArgv: QUIET, stdio: 'ignore' })
  await once(parent, 'message')
  const children = childrenOf(parent.pid)
  expect(children).toHaveLength(2)
  parent.kill('SIGKILL')
  await expect.poll(() => children.filter(isRunning), { timeout: 10_000 }).toEqual([])
})

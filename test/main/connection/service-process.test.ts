/** The media processes (the service, its workers and the thumbnail worker) exit with the process that started them. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { spawnService } from '../../../src/main/connection/index.ts'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { AcceptedJob, Job } from '../../../src/shared/api/resources.ts'
import { childrenOf, isRunning } from '../../child-processes.ts'
import { WORKER, SERVICE } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const LAKE = fileURLToPath(new URL('../../../assets/samples/mountain-lake.webp', import.meta.url))
const PARENT = new URL('./media-parent.ts', import.meta.url)
const QUIET = ['--disable-warning=ExperimentalWarning']
const KEY = 'a-key-of-this-test-0123456789'

let folder: string

beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, 'out'))
})

async function start() {
  const before = childrenOf(process.pid, SERVICE)
  const service = spawnService(
    process.execPath,
    SERVICE,
    QUIET,
  )({
    args: ['--port', '0', '--data-dir', join(folder, 'data'), '--exit-with-parent'],
    key: KEY,
  })
  const [line] = await once(createInterface({ input: service.stdout }), 'line')
  const { baseUrl } = z.object({ baseUrl: z.string() }).parse(JSON.parse(String(line)))
  const pid = childrenOf(process.pid, SERVICE).find((found) => !before.includes(found))
  await processPhoto(baseUrl)
  const workers = childrenOf(pid, WORKER)
  expect(workers).toHaveLength(1)
  return { service, workers }
}

async function processPhoto(baseUrl: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const filePath = join(folder, 'lake.webp')
  await copyFile(LAKE, filePath)
  const body = JSON.stringify({ filePath, outputFolder: join(folder, 'out') })
  const accepted = await fetch(`${baseUrl}/jobs`, { method: 'POST', headers, body })
  const { jobId } = AcceptedJob.parse(await accepted.json())
  const status = async () =>
    Job.parse(await (await fetch(`${baseUrl}/jobs/${jobId}`, { headers })).json()).status
  await expect.poll(async () => isInProgress(await status()), { timeout: 30_000 }).toBe(false)
  expect(await status()).toBe('completed')
}

it('the service and its workers exit cleanly on request', async () => {
  const { service, workers } = await start()
  service.terminate()
  expect(await service.ended).toMatchObject({ code: 0, signal: null })
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
})

it('the service leaves no worker behind when it is killed', async () => {
  const { service, workers } = await start()
  service.kill()
  await service.ended
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
})

it('the service and the thumbnail worker end when the app is killed', async () => {
  const parent = fork(PARENT, [join(folder, 'data')], { execArgv: QUIET, stdio: 'ignore' })
  await once(parent, 'message')
  const children = childrenOf(parent.pid)
  expect(children).toHaveLength(2)
  parent.kill('SIGKILL')
  await expect.poll(() => children.filter(isRunning), { timeout: 10_000 }).toEqual([])
})

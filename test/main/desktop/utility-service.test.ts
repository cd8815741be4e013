/** The built-in service as the app runs it: it asks the main process for its workers, and gets them. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { AcceptedJob, Job } from '../../../src/shared/api/resources.ts'
import type { ServiceProcess } from '../../../src/main/connection/index.ts'
import { describeEnd } from '../../../src/node/child-process.ts'
import { spawnUtilityService } from '../../../src/main/desktop/utility-service.ts'
import { forkUtilityOnNode } from './forked-utility.ts'

const SERVICE = fileURLToPath(new URL('../../../src/service/main.ts', import.meta.url))
const WORKER = fileURLToPath(new URL('../../../src/media/job-worker.ts', import.meta.url))
const LAKE = fileURLToPath(new URL('../../../assets/samples/mountain-lake.webp', import.meta.url))
const KEY = 'a-key-of-this-test-0123456789'

let folder: string
let output: string
let service: ServiceProcess
let serviceEnded: Promise<string>
let baseUrl: string
let workers: ChildProcess[]
let onWorker: (worker: ChildProcess) => void

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-utility-'))
  output = join(folder, 'out')
  await mkdir(output)
  workers = []
  onWorker = () => {}
  const spawn = spawnUtilityService({
    fork: forkUtilityOnNode((child, path) => {
      if (path !== WORKER) return
      workers.push(child)
      onWorker(child)
    }),
    servicePath: SERVICE,
    workerPath: WORKER,
  })
  service = spawn({
    args: ['--port', '0', '--data-dir', join(folder, 'data'), '--exit-with-parent'],
    key: KEY,
  })
  serviceEnded = service.ended.then(describeEnd)
  const [line] = await once(createInterface({ input: service.stdout }), 'line')
  ;({ baseUrl } = z.object({ baseUrl: z.string() }).parse(JSON.parse(String(line))))
})

afterEach(async () => {
  service.kill()
  await serviceEnded
  await rm(folder, { recursive: true, force: true })
})

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${baseUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  })

async function submit(paths: readonly string[]): Promise<string> {
  const body = { files: paths, outputFolder: output }
  const answer = await call('/jobs', { method: 'POST', body: JSON.stringify(body) })
  expect(answer.status).toBe(202)
  return AcceptedJob.parse(await answer.json()).jobId
}

async function finished(jobId: string): Promise<Job> {
  for (;;) {
    const job = Job.parse(await (await call(`/jobs/${jobId}`)).json())
    if (!isInProgress(job.status)) return job
    await sleep(50)
  }
}

async function outputs(): Promise<string[]> {
  const entries = await readdir(output, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function photos(...names: readonly string[]): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      await copyFile(LAKE, path)
      return path
    }),
  )
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

it('processes a real photo in a worker that the main process has started', async () => {
  const job = await finished(await submit(await photos('lake.webp')))
  expect(job.status).toBe('completed')
  expect(workers).toHaveLength(1)
  const [made] = await outputs()
  const { width, height } = await sharp(LAKE).metadata()
  expect(await sharp(made).metadata()).toMatchObject({ width, height })
})

it('fails only the file whose worker dies', async () => {
  onWorker = (worker) => {
    onWorker = () => {}
    worker.kill('SIGKILL')
  }
  const names = ['one.webp', 'two.webp', 'three.webp', 'four.webp', 'five.webp']
  const job = await finished(await submit(await photos(...names)))
  expect(job.status).toBe('completed')
  expect(job.errors?.map(({ error }) => error)).toEqual([expect.stringContaining('worker process crashed')])
  expect(await outputs()).toHaveLength(names.length - 1)
})

it('leaves no worker behind when the service is killed', async () => {
  await finished(await submit(await photos('lake.webp')))
  expect(workers.filter(({ exitCode }) => exitCode === null)).not.toEqual([])
  service.kill()
  await serviceEnded
  await Promise.all(workers.map(ended))
})

it('ends in order when it is asked to, and its workers with it', async () => {
  await finished(await submit(await photos('lake.webp')))
  service.terminate()
  expect(await serviceEnded).toBe('exit code 0')
  await Promise.all(workers.map(ended))
  expect(workers.map(({ exitCode }) => exitCode)).toEqual(workers.map(() => 0))
})

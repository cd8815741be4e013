/** A job whose processing is over and whose upload is not, in a queue whose clock, files and drive the test holds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RETENTION_MS } from '../../../src/shared/api/limits.ts'
import type { DriveFolder } from '../../../src/service/drive/index.ts'
import { ImageRecipe, ResultRules, VariationRanges } from '../../../src/shared/preset/preset.ts'
import type { JobPlan, Queue } from '../../../src/service/queue/index.ts'
import { queueBelow } from './queue-below.ts'
import { scriptedProcessing } from './scripted-processing.ts'

let folder: string
let clock: number
let queue: Queue
let processing: ReturnType<typeof scriptedProcessing>
let upload: PromiseWithResolvers<'uploaded'>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-tail-'))
  await writeFile(join(folder, 'a.jpg'), 'x')
  clock = Date.parse('2026-01-01T00:00:00Z')
  processing = scriptedProcessing(1)
  upload = Promise.withResolvers<'uploaded'>()
  queue = queueBelow(folder, { processing, now: () => clock, newId: () => `job-${clock}` })
})
afterEach(async () => {
  await queue.close()
  await rm(folder, { recursive: true })
})

const drive: DriveFolder = {
  id: 'outbox',
  list: () => Promise.resolve([]),
  fetch: () => Promise.reject(new Error('nothing is fetched here')),
  fetchTogether: () => Promise.reject(new Error('nothing is fetched here')),
  upload: (_path, _name, { signal }) =>
    Promise.race([
      upload.promise,
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
    ]),
}

async function uploading(): Promise<string> {
  const plan: JobPlan = {
    type: 'single',
    presetName: 'basic',
    recipes: new Map([['image', { kind: 'image', image: ImageRecipe.parse({}) }]]),
    ranges: VariationRanges.parse({}),
    rules: ResultRules.parse({}),
    subfolders: new Map(),
    source: { kind: 'files', inputs: [{ path: join(folder, 'a.jpg'), kind: 'image' }] },
    batchCount: 1,
    target: { kind: 'drive', folder: drive },
  }
  const { jobId } = queue.add(plan)
  while (processing.running.length === 0) await turn()
  processing.running[0]?.succeed()
  while (queue.find(jobId)?.status !== 'completed') await turn()
  return jobId
}

const delivered = async (jobId: string) => {
  while (!queue.find(jobId)?.drive?.uploadResult) await turn()
}

it('is forgotten neither by the cleanup nor by a clearing while it uploads, and an hour after it', async () => {
  const jobId = await uploading()
  clock += 3 * RETENTION_MS
  expect(queue.sweep()).toBe(0)
  expect(queue.clear()).toBe(0)
  expect(() => queue.cancel(jobId)).toThrow('only its upload goes on')
  expect(queue.find(jobId)).toMatchObject({ drive: { uploadResult: null, uploadError: null } })

  upload.resolve('uploaded')
  await delivered(jobId)
  clock += RETENTION_MS - 1
  expect(queue.sweep()).toBe(0)
  clock += 1
  expect(queue.sweep()).toBe(1)
})

it('lets the next job run, and does not count as active', async () => {
  const first = await uploading()
  clock += 1
  expect(queue.activeJobs()).toBe(0)
  expect(queue.list()).toMatchObject({ processing: false, queueLength: 0 })
  const second = await uploading()
  expect(queue.list().jobs.map(({ progress }) => progress.phase)).toEqual(['Uploading', 'Uploading'])
  upload.resolve('uploaded')
  await Promise.all([delivered(first), delivered(second)])
  expect(queue.list().jobs.map(({ progress }) => progress.phase)).toEqual(['Done', 'Done'])
})

it('is stopped when the queue is closed, which waits for that', async () => {
  const jobId = await uploading()
  await queue.close()
  expect(queue.find(jobId)?.drive?.uploadResult).toEqual({
    uploaded: 0,
    cancelled: true,
    errors: [{ name: expect.stringContaining('a.jpg'), error: expect.stringContaining('stopped') }],
  })
})

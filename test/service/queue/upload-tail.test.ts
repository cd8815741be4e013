/** A job whose processing has finished and whose upload hasn't, with the clock, files and drive controlled by the test. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RETENTION_MS } from '../../../src/shared/api/limits.ts'
import type { DriveFolder } from '../../../src/service/drive/index.ts'
import type { Queue } from '../../../src/service/queue/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { planOf, queueBelow } from './queue-below.ts'
import { scriptedProcessing } from './scripted-processing.ts'

let folder: string
let clock: number
let queue: Queue
let processing: ReturnType<typeof scriptedProcessing>
let upload: PromiseWithResolvers<'uploaded'>

beforeEach(async () => {
  folder = temporaryFolder()
  await writeFile(join(folder, 'a.jpg'), 'x')
  clock = Date.parse('2026-01-01T00:00:00Z')
  processing = scriptedProcessing(1)
  upload = Promise.withResolvers<'uploaded'>()
  queue = queueBelow(folder, { processing, now: () => clock, newId: () => `job-${clock}` })
})
afterEach(() => queue.close())

const drive: DriveFolder = {
  id: 'outbox',
  list: () => Promise.resolve([]),
  fetch: () => Promise.reject(new Error('fetching isn’t part of this test')),
  fetchTogether: () => Promise.reject(new Error('fetching isn’t part of this test')),
  hasContent: () => Promise.resolve(false),
  upload: (_path, _name, { signal }) =>
    Promise.race([
      upload.promise,
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
    ]),
}

async function uploading(): Promise<string> {
  const { jobId } = queue.add(planOf(folder, ['a.jpg'], { target: { kind: 'drive', folder: drive } }))
  while (processing.running.length === 0) await turn()
  processing.running[0]?.succeed()
  while (queue.find(jobId)?.status !== 'completed') await turn()
  return jobId
}

const delivered = async (jobId: string) => {
  while (!queue.find(jobId)?.drive?.uploadResult) await turn()
}

it('a job that only uploads isn’t active, but remains listed despite cleanup and clearing until an hour later', async () => {
  const jobId = await uploading()
  expect(queue.activeJobs()).toBe(0)
  expect(queue.list()).toMatchObject({ processing: false, queueLength: 0 })
  clock += 3 * RETENTION_MS
  expect(queue.sweep()).toBe(0)
  expect(queue.clear()).toBe(0)
  expect(() => queue.cancel(jobId)).toThrow('only its upload continues')
  expect(queue.find(jobId)).toMatchObject({ drive: { uploadResult: null, uploadError: null } })

  upload.resolve('uploaded')
  await delivered(jobId)
  clock += RETENTION_MS - 1
  expect(queue.sweep()).toBe(0)
  clock += 1
  expect(queue.sweep()).toBe(1)
})

it('an upload is stopped when the queue is closed, without an outcome, and the queue waits for it', async () => {
  const jobId = await uploading()
  const [job] = await queue.close()
  expect(job).toMatchObject({ jobId, status: 'completed', drive: { uploadResult: null } })
  expect(job?.drive?.uploadError ?? null).toBeNull()
})

/** Jobs from and to a drive whose responses the test scripts. */
import { globSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DriveEntry } from '../../../src/node/rclone/index.ts'
import { RESERVE_BYTES } from '../../../src/node/free-space.ts'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import { DriveFailure, type DriveFolder } from '../../../src/service/drive/index.ts'
import type { JobPlan, Queue } from '../../../src/service/queue/index.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { planOf, queueBelow } from './queue-below.ts'
import { scriptedProcessing } from './scripted-processing.ts'

let folder: string
let queue: Queue
let processing: ReturnType<typeof scriptedProcessing>
let entries: () => Promise<readonly DriveEntry[]>
let uploaded: string[]

beforeEach(async () => {
  folder = temporaryFolder()
  await writeFile(join(folder, 'a.jpg'), 'x')
  processing = scriptedProcessing(1)
  entries = () => Promise.resolve([])
  uploaded = []
  let ids = 0
  queue = queueBelow(folder, {
    processing,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    newId: () => `job-${(ids += 1)}`,
  })
})
afterEach(() => queue.close())

const driveFolder = (id: string): DriveFolder => ({
  id,
  list: () => entries(),
  async fetch(name, into, control) {
    control.onProgress?.(0.5)
    await writeFile(join(into, name), await imageBytes('png'))
    return join(into, name)
  },
  // Delivers no file, so that each is fetched individually.
  fetchTogether: () => Promise.resolve(),
  hasContent: () => Promise.resolve(false),
  upload: (path, name) => {
    uploaded.push(`${basename(path)} as ${name}`)
    return Promise.resolve('uploaded')
  },
})
const entry = (name: string, size = 100): DriveEntry => ({ name, size, isFolder: false })

const planFor = (places: Partial<Pick<JobPlan, 'source' | 'target'>>): JobPlan =>
  planOf(folder, ['a.jpg'], { type: 'batch', ...places })
const fromDrive = () => planFor({ source: { kind: 'drive', folder: driveFolder('album') } })
const toDrive = () => planFor({ target: { kind: 'drive', folder: driveFolder('outbox') } })

/** Runs a job and returns its state when its processing has ended; its upload may still run. */
async function run(plan: JobPlan) {
  const { jobId } = queue.add(plan)
  while (['queued', 'processing'].includes(queue.find(jobId)?.status ?? '')) {
    processing.running[0]?.succeed()
    await turn()
  }
  return queue.find(jobId)
}

describe('a job with inputs in a drive', () => {
  it('names results after the files in the drive, with names that are safe on any system', async () => {
    entries = () => Promise.resolve([entry('..\\..\\x.png')])
    const { jobId } = queue.add(fromDrive())
    while (processing.running.length === 0) await turn()
    expect(processing.running[0]?.task.inputName).toBe('_..＼..＼x.png')
    processing.running[0]?.succeed()
    while (queue.find(jobId)?.status !== 'completed') await turn()
    expect(queue.find(jobId)?.results?.map(({ file }) => file)).toEqual(['..\\..\\x.png'])
  })

  it('reports progress while fetching, and continues from there', async () => {
    entries = () => Promise.resolve([entry('a.png')])
    const { jobId } = queue.add(fromDrive())
    expect(queue.find(jobId)).not.toHaveProperty('totalFiles')
    const seen = new Set<string>()
    while (processing.running.length === 0) {
      const { phase, phaseProgress } = queue.find(jobId)?.progress ?? {}
      seen.add(`${phase} ${phaseProgress}`)
      await turn()
    }
    expect([...seen]).toEqual(expect.arrayContaining(['Discovering 0', 'Fetching 15']))
    processing.running[0]?.control.onProgress({ phase: 'Encoding', share: 0.25 })
    expect(queue.find(jobId)?.progress).toMatchObject({ phase: 'Encoding', phaseProgress: 47 })
    expect(queue.inputsInUse().size).toBe(0)
  })

  it('fetches a file when the space of an earlier one is free, including that of its download', async () => {
    const bytes = 10_000_000
    const capacity = RESERVE_BYTES + 2 * bytes
    processing = scriptedProcessing(2)
    queue = queueBelow(folder, {
      processing,
      now: Date.now,
      newId: () => 'job',
      freeBytes: () => Promise.resolve(capacity - bytes * globSync('work-*/in/*/*', { cwd: folder }).length),
    })
    entries = () => Promise.resolve([entry('a.png', bytes), entry('b.png', bytes), entry('c.png', 2 * bytes)])
    const job = await run(fromDrive())
    expect(job?.results?.map(({ file }) => file)).toEqual(['a.png', 'b.png'])
    expect(job?.errors).toMatchObject([{ file: 'c.png', failure: { code: 'tooLittleSpace' } }])
  })

  it.each([
    ['The folder has no files: album', []],
    ['None of the files in the folder can be processed: album', [entry('notes.txt')]],
  ])('fails as a whole if there is nothing to do: %s', async (message, found) => {
    entries = () => Promise.resolve(found)
    const job = await run(fromDrive())
    expect(job).toMatchObject({ status: 'failed', error: message, completedAt: expect.any(String) })
    expect(job?.errors?.[0]).toMatchObject({ file: 'album', error: message })
    expect(job?.errors).toHaveLength(1 + found.length)
    await expect.poll(() => readdir(folder)).toEqual(['a.jpg'])
  })

  it('doesn’t reveal the message of an unexpected failure', async () => {
    entries = () => Promise.reject(new TypeError('internal message'))
    const job = await run(fromDrive())
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('internal error') })
    expect(JSON.stringify(job)).not.toContain('internal message')
  })
})

const delivered = async (jobId: string) => {
  while (!queue.find(jobId)?.drive?.uploadResult) await turn()
  return queue.find(jobId)?.drive
}

describe('a job with results for a drive', () => {
  it.each(['network', 'busy'] as const)(
    'starts although the drive is currently unavailable: %s',
    async (kind) => {
      let isThere = false
      entries = () => (isThere ? Promise.resolve([]) : Promise.reject(new DriveFailure(troubleOf(kind))))
      const { jobId } = queue.add(toDrive())
      while (processing.running.length === 0) await turn()
      isThere = true
      processing.running[0]?.succeed()
      expect(await delivered(jobId)).toMatchObject({ uploadResult: { uploaded: 1 } })
    },
  )

  it('uploads nothing if the job’s only file failed', async () => {
    const { jobId } = queue.add({ ...toDrive(), type: 'single' })
    while (processing.running.length === 0) await turn()
    processing.running[0]?.fail('odd')
    while (queue.find(jobId)?.status === 'processing') await turn()
    await expect.poll(() => readdir(folder)).toEqual(['a.jpg'])
    expect(uploaded).toEqual([])
    expect(queue.find(jobId)).toMatchObject({
      status: 'failed',
      error: 'Couldn’t process the file: “odd”',
      drive: { uploadResult: null, uploadError: null },
    })
  })

  it('processes no file if the output folder refuses uploads', async () => {
    entries = () => Promise.reject(new DriveFailure(troubleOf('notFound')))
    expect(await run(toDrive())).toMatchObject({ status: 'failed' })
    expect([processing.started, uploaded]).toEqual([[], []])
  })

  it('has done nothing if it was canceled before it started', async () => {
    queue.add(planFor({}))
    const { jobId } = queue.add(toDrive())
    queue.cancel(jobId)
    expect(queue.find(jobId)).toMatchObject({ status: 'cancelled', startedAt: null, results: [], errors: [] })
  })
})

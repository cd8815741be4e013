/** Jobs from and to a drive whose every answer the test gives. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DriveEntry, troubleOf } from '../../../src/node/rclone/index.ts'
import { DriveFailure, type DriveFolder } from '../../../src/service/drive/index.ts'
import { ImageRecipe, ResultRules, VariationRanges } from '../../../src/shared/preset/preset.ts'
import type { JobPlan, Queue } from '../../../src/service/queue/index.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { queueBelow } from './queue-below.ts'
import { scriptedProcessing } from './scripted-processing.ts'

let folder: string
let queue: Queue
let processing: ReturnType<typeof scriptedProcessing>
let entries: () => Promise<readonly DriveEntry[]>
let uploaded: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-drive-jobs-'))
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
afterEach(async () => {
  await queue.close()
  await rm(folder, { recursive: true })
})

const driveFolder = (id: string): DriveFolder => ({
  id,
  list: () => entries(),
  async fetch(name, into, control) {
    control.onProgress?.(0.5)
    await writeFile(join(into, name), await imageBytes('png'))
    return join(into, name)
  },
  // None comes, so that each is fetched alone.
  fetchTogether: () => Promise.resolve(),
  upload: (path, name) => {
    uploaded.push(`${basename(path)} as ${name}`)
    return Promise.resolve('uploaded')
  },
})
const entry = (name: string, size = 100): DriveEntry => ({ name, size, isFolder: false })

const planFor = (places: Partial<Pick<JobPlan, 'source' | 'target'>>): JobPlan => ({
  type: 'batch',
  presetName: 'basic',
  recipes: new Map([['image', { kind: 'image', image: ImageRecipe.parse({}) }]]),
  ranges: VariationRanges.parse({}),
  rules: ResultRules.parse({}),
  subfolders: new Map(),
  source: { kind: 'files', inputs: [{ path: join(folder, 'a.jpg'), kind: 'image' }] },
  batchCount: 1,
  target: { kind: 'folder', path: folder },
  ...places,
})
const fromDrive = () => planFor({ source: { kind: 'drive', folder: driveFolder('album') } })
const toDrive = () => planFor({ target: { kind: 'drive', folder: driveFolder('outbox') } })

/** The job when it has ended, without its upload. */
async function run(plan: JobPlan) {
  const { jobId } = queue.add(plan)
  while (['queued', 'processing'].includes(queue.find(jobId)?.status ?? '')) {
    processing.running[0]?.succeed()
    await turn()
  }
  return queue.find(jobId)
}

describe('a job whose inputs lie in a drive', () => {
  it('finds them when it runs, fetches them, and leaves nothing of them here', async () => {
    entries = () => Promise.resolve([entry('b.png'), entry('a.png'), entry('notes.txt')])
    const job = await run(fromDrive())
    expect(job).toMatchObject({
      status: 'completed',
      totalFiles: 2,
      fileType: 'image',
      results: [{ file: 'a.png' }, { file: 'b.png' }],
      errors: [{ file: 'notes.txt', error: expect.stringContaining('.txt') }],
      drive: { inputFolderId: 'album', outputFolderId: null, uploadResult: null, uploadError: null },
    })
    await expect.poll(() => readdir(folder)).toEqual(['a.jpg'])
  })

  it('calls results after the files in the drive, in names that lead nowhere on any system', async () => {
    entries = () => Promise.resolve([entry('..\\..\\x.png')])
    const { jobId } = queue.add(fromDrive())
    while (processing.running.length === 0) await turn()
    expect(processing.running[0]?.task.inputName).toBe('_..＼..＼x.png')
    processing.running[0]?.succeed()
    while (queue.find(jobId)?.status !== 'completed') await turn()
    expect(queue.find(jobId)?.results?.map(({ file }) => file)).toEqual(['..\\..\\x.png'])
  })

  it('says how far it is with fetching, and goes on from there', async () => {
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

  it.each([
    ['The folder has no files: album', []],
    ['No file of the folder can be processed: album', [entry('notes.txt')]],
  ])('fails as a whole where there is nothing to do: %s', async (message, found) => {
    entries = () => Promise.resolve(found)
    const job = await run(fromDrive())
    expect(job).toMatchObject({ status: 'failed', error: message, completedAt: expect.any(String) })
    expect(job?.errors?.[0]).toEqual({ file: 'album', error: message })
    expect(job?.errors).toHaveLength(1 + found.length)
    await expect.poll(() => readdir(folder)).toEqual(['a.jpg'])
  })

  it('fails as a whole with the reason of the drive', async () => {
    entries = () => Promise.reject(new DriveFailure(troubleOf('permission')))
    const { message } = troubleOf('permission')
    expect(await run(fromDrive())).toMatchObject({
      status: 'failed',
      error: message,
      errors: [{ file: 'album', error: message }],
    })
  })

  it('keeps the words of an unforeseen failure to itself', async () => {
    entries = () => Promise.reject(new TypeError('inner words'))
    const job = await run(fromDrive())
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('internal error') })
    expect(JSON.stringify(job)).not.toContain('inner words')
  })
})

const delivered = async (jobId: string) => {
  while (!queue.find(jobId)?.drive?.uploadResult) await turn()
  return queue.find(jobId)?.drive
}

describe('a job whose results go to a drive', () => {
  it('takes them there, and knows them by the names that they got', async () => {
    entries = () => Promise.resolve([entry('a.jpg-1')])
    const job = await run(toDrive())
    expect(await delivered(job?.jobId ?? '')).toEqual({
      inputFolderId: null,
      outputFolderId: 'outbox',
      uploadResult: { uploaded: 1, errors: [] },
      uploadError: null,
    })
    expect(uploaded).toEqual(['a.jpg-1 as a-2.jpg-1'])
    expect(queue.find('job-1')?.results?.map(({ outputPath }) => basename(outputPath))).toEqual(['a-2.jpg-1'])
  })

  it.each(['network', 'busy'] as const)(
    'begins although the drive is not there just now: %s',
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

  it('has nothing to take there where its one file failed', async () => {
    const { jobId } = queue.add({ ...toDrive(), type: 'single' })
    while (processing.running.length === 0) await turn()
    processing.running[0]?.fail('odd')
    while (queue.find(jobId)?.status === 'processing') await turn()
    await expect.poll(() => readdir(folder)).toEqual(['a.jpg'])
    expect(queue.find(jobId)).toMatchObject({
      status: 'failed',
      error: 'odd',
      drive: { uploadResult: null, uploadError: null },
    })
  })

  it('does no work for a folder that will not take it', async () => {
    entries = () => Promise.reject(new DriveFailure(troubleOf('notFound')))
    const { message } = troubleOf('notFound')
    expect(await run(toDrive())).toMatchObject({
      status: 'failed',
      error: message,
      drive: { uploadResult: null, uploadError: message },
    })
    expect([processing.started, uploaded]).toEqual([[], []])
  })

  it('of a job that was cancelled before its start has done nothing', async () => {
    queue.add(planFor({}))
    const { jobId } = queue.add(toDrive())
    queue.cancel(jobId)
    expect(queue.find(jobId)).toMatchObject({ status: 'cancelled', startedAt: null, results: [], errors: [] })
  })
})

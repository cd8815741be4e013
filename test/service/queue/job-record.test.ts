import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Job } from '../../../src/shared/api/resources.ts'
import { ResultRules, VariationRanges } from '../../../src/shared/preset/preset.ts'
import type { Delivery } from '../../../src/service/queue/delivery.ts'
import type { JobInput, JobPlan, Operation } from '../../../src/service/queue/job-plan.ts'
import { createJobRecord, statusOf } from '../../../src/service/queue/job-record.ts'
import { jobResource, listedJobs } from '../../../src/service/queue/job-resource.ts'

const inputs: readonly JobInput[] = ['/in/a.jpg', '/in/b.jpg'].map((path) => ({ path, kind: 'image' }))

function setUp(names = inputs) {
  const plan: JobPlan = {
    type: names.length === 1 ? 'single' : 'batch',
    presetName: 'basic',
    recipes: new Map(),
    ranges: VariationRanges.parse({}),
    rules: ResultRules.parse({}),
    subfolders: new Map(),
    source: { kind: 'files', inputs: names },
    batchCount: 1,
    target: { kind: 'folder', path: '/out' },
  }
  const clock = { time: 1_000 }
  let changes = 0
  const record = createJobRecord({ jobId: 'job', plan, now: () => clock.time, onChange: () => changes++ })
  const operation = (index: number): Operation => {
    const input = names[index]
    if (input === undefined) throw new Error(`There is no input ${index}`)
    return { index, inputIndex: index, input, variation: 1 }
  }
  return { record, clock, operation, changes: () => changes }
}

const delivery: Delivery = {
  add: () => {},
  finish: () => Promise.resolve({ uploadError: 'never' }),
  progress: () => ({ ended: 0, total: 1, share: 0.5, fileName: 'a.jpg' }),
}

it('goes from queued to processing to its end, and each has its time', () => {
  const { record, clock, operation } = setUp()
  expect(record.state).toEqual({ kind: 'queued' })
  clock.time = 2_000
  record.start()
  expect(record.state).toEqual({ kind: 'processing', startedAt: 2_000 })
  record.operationSucceeded(operation(0), { outputPath: '/out/a.jpg', notes: [] })
  record.operationFailed(operation(1), 'odd')
  clock.time = 3_000
  record.complete()
  // A batch is completed when all its files have been tried.
  expect(record.state).toEqual({ kind: 'ended', status: 'completed', startedAt: 2_000, at: 3_000 })
})

it('a single job whose file failed has failed', () => {
  const { record, operation } = setUp(inputs.slice(0, 1))
  record.start()
  record.operationFailed(operation(0), 'odd')
  record.complete()
  expect(jobResource(record)).toMatchObject({ status: 'failed', error: 'odd', fileName: 'a.jpg' })
})

it('what was cancelled stays cancelled, whatever ends after it', () => {
  const { record, clock } = setUp()
  record.start()
  record.cancel()
  expect(record.signal.aborted).toBe(true)
  const { state } = record
  clock.time = 5_000
  record.complete()
  record.fail({ file: '', error: 'too late' })
  expect(record.state).toBe(state)
  expect(record.failure).toBeUndefined()
})

it('a job that was cancelled while it waited has never started', () => {
  const { record } = setUp()
  record.cancel()
  expect(jobResource(record)).toMatchObject({ status: 'cancelled', startedAt: null })
})

it('a stopped job keeps its state', () => {
  const { record } = setUp()
  record.start()
  record.stop()
  expect(record.signal.aborted).toBe(true)
  expect(statusOf(record.state)).toBe('processing')
})

it('an upload goes on after the end, and its outcome is shown when it is there', () => {
  const { record, operation } = setUp()
  record.start()
  record.uploadStarted(delivery)
  record.operationSucceeded(operation(0), { outputPath: resolve('/results/out/a.jpg'), notes: [] })
  record.complete()
  expect(jobResource(record).progress).toMatchObject({ phase: 'Uploading', totalProgress: 99 })
  record.uploadNamed(0, 'a-2.jpg')
  record.uploadEnded({ uploadResult: { uploaded: 1, errors: [] } })
  expect(jobResource(record)).toMatchObject({
    progress: { phase: 'Done', totalProgress: 100 },
    results: [{ file: '/in/a.jpg', outputPath: join(resolve('/results/out'), 'a-2.jpg') }],
  })
})

it('tells of everything that a reader could see', () => {
  const { record, operation, changes } = setUp()
  const seen = [changes()]
  const steps = [
    () => record.start(),
    () => record.operationStarted(operation(0)),
    () => record.operationReported(operation(0), { phase: 'Encoding', share: 0.5 }),
    () => record.operationSucceeded(operation(0), { outputPath: '/out/a.jpg', notes: [] }),
    () => record.operationEnded(operation(0)),
    () => record.uploadStarted(delivery),
    () => record.uploadNamed(0, 'b.jpg'),
    () => record.uploadProgressed(),
    () => record.complete(),
    () => record.uploadEnded(undefined),
  ]
  for (const step of steps) {
    step()
    seen.push(changes())
  }
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  expect(new Set(seen).size).toBe(seen.length)
})

/** A batch of which so many files are made. */
const batchOf = (files: number) => {
  const { record, operation } = setUp()
  record.start()
  for (let index = 0; index < files; index++) {
    const path = `/results/of/a/large/batch/${'花'.repeat(30)}-${index}.jpg`
    record.operationSucceeded({ ...operation(0), index }, { outputPath: path, notes: [] })
  }
  record.operationEnded(operation(0))
  record.complete()
  return record
}

describe('a list', () => {
  it('of five huge batches stays far below what a client reads', () => {
    const batches = Array.from({ length: 5 }, () => batchOf(60_000))
    expect(Buffer.byteLength(JSON.stringify(batches.map(jobResource)))).toBeGreaterThan(32 * 1024 * 1024)
    const listed = listedJobs(batches)
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(8 * 1024 * 1024)
    for (const job of listed) {
      expect(Job.parse(job)).toMatchObject({ status: 'completed', progress: { completedFiles: 1 } })
      // Absent, which says nothing; an empty list would say that nothing was made.
      expect(job).not.toHaveProperty('results')
      expect(job).not.toHaveProperty('errors')
    }
    expect(jobResource(batchOf(60_000)).results).toHaveLength(60_000)
  })

  it('has the outcomes of ordinary jobs, the newest first where there are many', () => {
    const jobs = [...Array.from({ length: 49 }, () => batchOf(200)), batchOf(60_000)]
    const shown = listedJobs(jobs).map(({ results }) => results?.length)
    expect(shown.slice(0, 40)).toEqual(Array(40).fill(200))
    expect(shown.at(-1)).toBeUndefined()
  })
})

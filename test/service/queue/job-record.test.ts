import { failure } from '../../../src/shared/failure/failure.ts'
import { describe, expect, it } from 'vitest'
import { ServiceJob } from '../../../src/shared/api/resources.ts'
import type { Delivery } from '../../../src/service/queue/delivery.ts'
import type { Operation } from '../../../src/service/queue/job-plan.ts'
import { createJobRecord } from '../../../src/service/queue/job-record.ts'
import { jobResource, listedJobs } from '../../../src/service/queue/job-resource.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { planOf } from './queue-below.ts'

function setUp() {
  const clock = { time: 1_000 }
  let changes = 0
  const plan = planOf('/in', ['a.jpg', 'b.jpg'])
  const record = createJobRecord(
    'job',
    plan,
    () => clock.time,
    () => changes++,
  )
  const operation = (index: number): Operation => {
    const input = record.inputs?.[index]
    if (input === undefined) throw new Error(`No input ${index}`)
    return { index, inputIndex: index, turn: index, input, variation: 1 }
  }
  return { record, clock, operation, changes: () => changes }
}

const delivery: Delivery = {
  add: () => {},
  finish: () => Promise.resolve({ uploadError: failure('uploadInternal') }),
  progress: () => ({ ended: 0, total: 1, share: 0.5, fileName: 'a.jpg' }),
}

it('keeps a canceled job canceled, even if a file finishes afterwards', () => {
  const { record, clock } = setUp()
  record.start()
  record.cancel()
  expect(record.signal.aborted).toBe(true)
  record.complete()
  record.fail({ file: '', error: 'too late' })
  expect(record.state).toEqual({ kind: 'stopping', startedAt: 1_000 })
  clock.time = 5_000
  record.stopped()
  expect(record.state).toMatchObject({ kind: 'ended', status: 'cancelled', at: 5_000 })
  expect(record.failure).toBeUndefined()
})

it('reports every change that a reader could see', () => {
  const { record, operation, changes } = setUp()
  const seen = [changes()]
  const steps = [
    () => record.start(),
    () => record.progress.started(operation(0)),
    () => record.progress.reported(operation(0), { phase: 'Encoding', share: 0.5 }),
    () => record.operationSucceeded(operation(0), { outputPath: '/out/a.jpg', notes: [], losses: [] }),
    () => record.progress.ended(operation(0), 'succeeded'),
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

/** Creates a batch in which this many files are finished. */
const batchOf = (files: number) => {
  const { record, operation } = setUp()
  record.start()
  for (let index = 0; index < files; index++) {
    const path = `/results/of/a/large/batch/${'花'.repeat(30)}-${index}.jpg`
    record.operationSucceeded({ ...operation(0), index }, { outputPath: path, notes: [], losses: [] })
  }
  record.progress.ended(operation(0), 'succeeded')
  record.complete()
  return record
}

describe('a list', () => {
  itInLongSuite('of five huge batches stays far below a client’s size limit', () => {
    const batches = Array.from({ length: 5 }, () => batchOf(60_000))
    expect(Buffer.byteLength(JSON.stringify(batches.map(jobResource)))).toBeGreaterThan(32 * 1024 * 1024)
    const listed = listedJobs(batches)
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(8 * 1024 * 1024)
    for (const job of listed) {
      expect(ServiceJob.parse(job)).toMatchObject({ status: 'completed', progress: { completedFiles: 1 } })
      // The fields are absent, because an empty list would claim that there are no results or errors.
      expect(job).not.toHaveProperty('results')
      expect(job).not.toHaveProperty('errors')
    }
    expect(jobResource(batchOf(60_000)).results).toHaveLength(60_000)
  })

  it('has the outcomes of ordinary jobs, newest first if there are many', () => {
    const jobs = [...Array.from({ length: 49 }, () => batchOf(200)), batchOf(60_000)]
    const shown = listedJobs(jobs).map(({ results }) => results?.length)
    expect(shown.slice(0, 40)).toEqual(Array(40).fill(200))
    expect(shown.at(-1)).toBeUndefined()
  })
})

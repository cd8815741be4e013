import { expect, it } from 'vitest'
import { unnamedInputs } from '../../../src/main/jobs/unnamed-inputs.ts'
import type { Job } from '../../../src/shared/api/resources.ts'

const job = (change: Partial<Job>): Job => ({
  jobId: 'j',
  status: 'completed',
  type: 'batch',
  preset: 'Web 2048',
  progress: {},
  createdAt: '2026-11-22T00:00:00.000Z',
  startedAt: null,
  completedAt: null,
  ...change,
})
const result = (file: string) => ({ file, outputPath: `/out/${file}` })
const missing = (of: Job, ...inputs: string[]) => unnamedInputs(of, inputs).map(({ file }) => file)

it('an input that a completed set names nowhere is missing, one among the errors is not', () => {
  const set = job({ results: [result('a.jpg')], errors: [{ file: '/in/b.jpg', error: 'broken' }] })
  expect(missing(set, '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['c.jpg'])
  expect(unnamedInputs(set, ['/in/c.jpg', '/in/a.jpg'])[0]?.error).toMatch(/did not say/)
})

it('nothing is missing where nothing is known, nor before the end', () => {
  expect(missing(job({ results: [] }))).toEqual([])
  expect(missing(job({ results: [], status: 'processing' }), '/in/a.jpg')).toEqual([])
  expect(missing(job({ results: [], status: 'failed' }), '/in/a.jpg')).toEqual([])
})

it('a single job has made of its one input whatever it names', () => {
  const single = job({ type: 'single', results: [result('upload-1.jpg')] })
  expect(missing(single, '/in/a.jpg')).toEqual([])
  expect(missing(job({ type: 'single', results: [] }), '/in/a.jpg')).toEqual(['a.jpg'])
})

it('where a service has its own names for all of them, only their number tells', () => {
  const renamed = job({ results: [result('1.jpg'), result('2.jpg'), result('2.jpg')] })
  expect(missing(renamed, '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['a.jpg'])
  expect(missing(renamed, '/in/a.jpg', '/in/b.jpg')).toEqual([])
  expect(missing(renamed, '/in/a.jpg')).toEqual([])
})

it('an umlaut written in two ways is the same name', () => {
  expect(
    missing(
      job({ results: [result('gro\u0308ße.jpg'), result('x.jpg')] }),
      '/in/x.jpg',
      '/in/gr\u00f6ße.jpg',
    ),
  ).toEqual([])
})

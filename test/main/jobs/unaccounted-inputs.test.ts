import { describe, expect, it } from 'vitest'
import { unaccountedInputs } from '../../../src/main/jobs/unaccounted-inputs.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { growthOf } from '../../growth.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const job = (change: Partial<ServiceJob>): ServiceJob => ({
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
const missingOf = (
  of: ServiceJob,
  inputs: readonly string[],
  more: { renamed?: boolean; variations?: number } = {},
) => unaccountedInputs(of, { inputs, variations: 1, renamed: false, ...more }).map(({ file }) => file)
const missing = (of: ServiceJob, ...inputs: string[]) => missingOf(of, inputs)

it('an input that a completed set doesn’t mention is missing, and one listed in the errors is not', () => {
  const set = job({ results: [result('a.jpg')], errors: [{ file: '/in/b.jpg', error: 'broken' }] })
  expect(missing(set, '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['c.jpg'])
  expect(
    unaccountedInputs(set, { inputs: ['/in/c.jpg', '/in/a.jpg'], variations: 1, renamed: false })[0]?.error,
  ).toMatch(/didn’t report/)
})

it('no input is reported missing if nothing is known, or before the job ends', () => {
  expect(missing(job({ results: [] }))).toEqual([])
  expect(missing(job({ results: [], status: 'processing' }), '/in/a.jpg')).toEqual([])
  expect(missing(job({ results: [], status: 'failed' }), '/in/a.jpg')).toEqual([])
})

it('a single job’s results always belong to its only input', () => {
  const single = job({ type: 'single', results: [result('upload-1.jpg')] })
  expect(missing(single, '/in/a.jpg')).toEqual([])
  expect(missing(job({ type: 'single', results: [] }), '/in/a.jpg')).toEqual(['a.jpg'])
})

it('if a service renames uploads, only the number of results counts', () => {
  const renamed = job({ results: [result('1.jpg'), result('2.jpg'), result('2.jpg')] })
  const missingOfUploads = (...inputs: string[]) => missingOf(renamed, inputs, { renamed: true })
  expect(missingOfUploads('/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['a.jpg'])
  expect(missingOfUploads('/in/a.jpg', '/in/b.jpg')).toEqual([])
  expect(missingOfUploads('/in/a.jpg')).toEqual([])
})

it('results that name other files don’t account for any of our inputs', () => {
  const others = job({ results: [result('x.jpg'), result('y.jpg')] })
  expect(missing(others, '/in/a.jpg', '/in/b.jpg')).toEqual(['a.jpg', 'b.jpg'])
})

it('one result named three times accounts for one input', () => {
  const twice = [1, 2, 3].map((n) => ({ file: 'a.jpg', outputPath: `/out/${n}.jpg` }))
  expect(missing(job({ results: twice }), '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['b.jpg', 'c.jpg'])
  const shared = ['a.jpg', 'b.jpg', 'c.jpg'].map((file) => ({ file, outputPath: '/out/one.jpg' }))
  expect(missing(job({ results: shared }), '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toHaveLength(2)
})

it('one result whose path is spelled in two ways accounts for one input', () => {
  const same = ['/out/a.jpg', '/out/./a.jpg'].map((outputPath) => ({ file: '', outputPath }))
  expect(missing(job({ results: same }), '/in/a.jpg', '/in/b.jpg')).toHaveLength(1)
})

it('every variation of an input has to be accounted for', () => {
  const results = [1, 2, 3].map((n) => ({ file: '/in/a.jpg', outputPath: `/out/${n}.jpg` }))
  const set = job({ results: [...results, result('b.jpg')] })
  expect(missingOf(set, ['/in/a.jpg', '/in/b.jpg'], { variations: 3 })).toEqual(['b.jpg'])
  expect(missingOf(set, ['/in/a.jpg'], { variations: 3 })).toEqual([])
})

it('inputs with the same name in different folders each need a result', () => {
  const set = job({ results: [{ file: '/one/a.jpg', outputPath: '/out/a.jpg' }] })
  expect(missing(set, '/one/a.jpg', '/two/a.jpg')).toEqual(['a.jpg'])
})

it('a result named after its input, with or without a suffix, is its result', () => {
  const set = job({ results: [result('a'), result('b-web.webp'), result('cd.jpg')] })
  expect(missing(set, '/in/a.jpg', '/in/b.jpg', '/in/c.jpg')).toEqual(['c.jpg'])
})

function manyOthers(count: number) {
  const inputs = Array.from({ length: count }, (_, n) => `/in/photo ${n} of a long day.jpg`)
  return { inputs, set: job({ results: inputs.map((_, n) => result(`other ${n} of a long day.jpg`)) }) }
}

itInLongSuite('many inputs are compared with as many results of other files in linear time', () => {
  const growth = growthOf(1_250, manyOthers, ({ inputs, set }) =>
    expect(missing(set, ...inputs)).toHaveLength(inputs.length),
  )
  expect(growth).toBeLessThan(1.6)
})

it('an input that was skipped at submission is accounted for', () => {
  const skipped = [{ file: '/in/b.jpg', error: 'not a photo' }]
  const sent = { inputs: ['/in/a.jpg', '/in/b.jpg'], variations: 1, renamed: false }
  expect(unaccountedInputs(job({ results: [result('a.jpg')] }), sent, skipped)).toEqual([])
})

it('a result without a path doesn’t count', () => {
  const set = job({ results: [result('a.jpg'), { file: 'b.jpg', outputPath: '' }] })
  expect(missing(set, '/in/a.jpg', '/in/b.jpg')).toEqual(['b.jpg'])
})

it('a single job’s explanation of its missing result is quoted', () => {
  const sent = { inputs: ['/in/a.jpg'], variations: 1, renamed: false }
  expect(unaccountedInputs(job({ type: 'single', error: 'no memory' }), sent)).toEqual([
    { file: 'a.jpg', error: 'no memory' },
  ])
})

const upload = (uploaded: number, errors: { name: string; error: string }[] = []) => ({
  drive: { outputFolderId: 'D', uploadResult: { uploaded, errors } },
})
describe('a job with a drive', () => {
  const inputs = ['/in/a.jpg', '/in/b.jpg']

  it('is complete if the drive has as many files as expected, with or without a list of results', () => {
    expect(missing(job(upload(2)), ...inputs)).toEqual([])
    expect(missing(job({ ...upload(2), results: inputs.map(result) }), ...inputs)).toEqual([])
    expect(missing(job(upload(1, [{ name: 'b.jpg', error: 'quota' }])), ...inputs)).toEqual([])
  })

  it('lacks files that the drive doesn’t report', () => {
    expect(missing(job({ ...upload(1), results: inputs.map(result) }), ...inputs)).toEqual(['b.jpg'])
    expect(missing(job(upload(0)), ...inputs)).toEqual(['a.jpg', 'b.jpg'])
  })

  it('is checked against the file count that the service reports if no inputs are known', () => {
    expect(missing(job({ results: [result('a.jpg')], totalFiles: 1 }))).toEqual([])
    expect(missing(job({ results: [result('a.jpg')], totalFiles: 3 }))).toEqual([''])
    expect(missing(job({}))).toEqual([''])
    expect(missing(job({ totalFiles: 0 }))).toEqual([])
  })
})

it('matches names that differ only in Unicode normalization', () => {
  expect(
    missing(
      job({ results: [result('gro\u0308ße.jpg'), result('x.jpg')] }),
      '/in/x.jpg',
      '/in/gr\u00f6ße.jpg',
    ),
  ).toEqual([])
})

it('a result that is the original itself doesn’t count', () => {
  const results = [{ file: '/in/a.jpg', outputPath: '/in/a.jpg' }, result('b.jpg')]
  expect(missing(job({ results }), '/in/a.jpg', '/in/b.jpg')).toEqual(['a.jpg'])
})

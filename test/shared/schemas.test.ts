import { Validator } from '@seriousme/openapi-schema-validator'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { apiDescription } from '../../scripts/api-description.ts'
import { exactResources } from '../../src/shared/api/exact-resources.ts'
import { described } from '../api-description.ts'
import { exampleReport, JobReport, jobReportSchema } from '../../src/shared/model/job-report.ts'
import { presetSchema } from '../../src/shared/preset/preset-schema.ts'

it.each([
  ['assets/preset.schema.json', presetSchema()],
  ['assets/job-report.schema.json', jobReportSchema()],
  ['docs/openapi.json', apiDescription()],
])('the published schema %s is up to date (run `npm run schemas`)', async (path, schema) => {
  const published = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(schema)))
})

it('the description of the API is valid OpenAPI 3.1, and all its references exist', async () => {
  const validator = new Validator()
  expect(
    await validator.validate(fileURLToPath(new URL('../../docs/openapi.json', import.meta.url))),
  ).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  expect(JSON.stringify(validator.resolveRefs())).not.toContain('$ref')
})

const job = {
  jobId: 'a-1',
  status: 'completed',
  type: 'batch',
  preset: 'basic',
  progress: {},
  createdAt: '',
  startedAt: null,
  completedAt: null,
}

it.each<[string, keyof typeof exactResources, unknown]>([
  ['a health with another status', 'Health', { status: 'fine', version: '1.0.81', activeJobs: 0 }],
  ['a job with another type', 'Job', { ...job, type: 'group' }],
  ['a job with progress of the wrong type', 'Job', { ...job, progress: { phase: 5 } }],
  ['a job with an unreadable result', 'Job', { ...job, results: [{ file: 'a.png' }] }],
  [
    'a job list with such a job',
    'JobList',
    { jobs: [{ ...job, errors: {} }], queueLength: 0, processing: false },
  ],
  ['an error without a text', 'Error', { failure: 'x' }],
  ['an upload of nothing', 'Upload', { filePath: '/a.png', originalName: 'a.png', size: 0 }],
])('the description of the API doesn’t allow %s', (_what, name, value) => {
  expect(described(name)(value)).toBe(false)
})

it('the description of the API allows unknown fields, and doesn’t contain the built-in service’s additions', () => {
  expect(described('Job')({ ...job, failure: 'any', color: 1 })).toBe(true)
  expect(Object.keys(exactResources.Job.shape)).toContain('failure')
  expect(JSON.stringify(apiDescription())).not.toMatch(/failure|originals/i)
})

it('the example that a test sends is a valid job report', () => {
  const example = exampleReport('test-1', new Date(0))
  expect(JobReport.parse(example)).toEqual(example)
})

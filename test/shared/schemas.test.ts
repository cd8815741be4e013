import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { exampleReport, JobReport, jobReportSchema } from '../../src/shared/model/job-report.ts'
import { presetSchema } from '../../src/shared/preset/preset-schema.ts'

it.each([
  ['preset', presetSchema()],
  ['job-report', jobReportSchema()],
])('the published schema %s is up to date (run `node scripts/write-schemas.ts`)', async (name, schema) => {
  const published = await readFile(new URL(`../../assets/${name}.schema.json`, import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(schema)
})

it('the example that a test sends is a valid job report', () => {
  const example = exampleReport('test-1', new Date(0))
  expect(JobReport.parse(example)).toEqual(example)
})

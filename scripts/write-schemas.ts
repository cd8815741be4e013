/**
 * Writes the published schemas of presets (src/shared/preset/preset.ts), of job reports, and of the API's resources.
 * `npm run schemas`, after changing one of them.
 */
import { writeFile } from 'node:fs/promises'
import { jobReportSchema } from '../src/shared/model/job-report.ts'
import { presetSchema } from '../src/shared/preset/preset-schema.ts'
import { apiDescription } from './api-description.ts'

const write = (path: string, schema: object): Promise<void> =>
  writeFile(new URL(`../${path}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)

await write('assets/preset.schema.json', presetSchema())
await write('assets/job-report.schema.json', jobReportSchema())
await write('docs/openapi.json', apiDescription())

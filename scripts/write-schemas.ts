/** Writes the published forms of two checks: of presets (src/shared/preset/preset.ts) and of job reports. */
import { writeFile } from 'node:fs/promises'
import { jobReportSchema } from '../src/shared/model/job-report.ts'
import { presetSchema } from '../src/shared/preset/preset-schema.ts'

const write = (name: string, schema: object): Promise<void> =>
  writeFile(new URL(`../assets/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)

await write('preset.schema.json', presetSchema())
await write('job-report.schema.json', jobReportSchema())

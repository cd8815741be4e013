/** Writes assets/preset.schema.json, the published form of the checks in src/shared/preset/preset.ts. */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { presetSchema } from '../src/shared/preset/preset-schema.ts'

const target = fileURLToPath(new URL('../assets/preset.schema.json', import.meta.url))
await writeFile(target, `${JSON.stringify(presetSchema(), null, 2)}\n`)

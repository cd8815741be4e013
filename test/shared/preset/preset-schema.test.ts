import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { presetSchema } from '../../../src/shared/preset/preset-schema.ts'

it('the published schema is up to date (run `node scripts/write-preset-schema.ts`)', async () => {
  const published = await readFile(new URL('../../../assets/preset.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(published)).toEqual(presetSchema())
})

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { PROGRAM_VERSION } from '../../src/node/version.ts'

it('another build of the same version is another program, because its files have replaced those of this one', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')) as Record<string, unknown>
  expect(PROGRAM_VERSION).toBe(`${read('package.json')['version']}+${read('dist/built.json')['begun']}`)
})

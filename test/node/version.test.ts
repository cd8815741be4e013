import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { PROGRAM_VERSION } from '../../src/node/version.ts'

it('another build of the same version is another program, because its files have replaced those of this one', () => {
  const stamp = readFileSync(resolve(import.meta.dirname, '../../dist/built.json'), 'utf8')
  const { begun }: { begun: number } = JSON.parse(stamp)
  expect(PROGRAM_VERSION).toBe(`${manifest.version}+${begun}`)
})

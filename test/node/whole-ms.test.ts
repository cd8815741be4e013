import { utimesSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { wholeMs } from '../../src/node/whole-ms.ts'
import { fingerprintOf } from '../../src/main/watch/fingerprint.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it('rounds times before and after 1970 down', () => {
  expect([-1_000_001n, -1_000_000n, -1n, 0n, 999_999n, 1_000_000n].map(wholeMs)).toEqual([
    -2, -1, -1, 0, 0, 1,
  ])
})

it('gives a file from before 1970 the same fingerprint regardless of how its dates were read', () => {
  const file = join(temporaryFolder(), 'scan.jpg')
  writeFileSync(file, 'x')
  // This date has a fraction of a ms.
  const date = new Date('1960-06-01T12:00:00.123Z')
  utimesSync(file, date, date)
  expect(fingerprintOf(statSync(file, { bigint: true }))).toEqual(fingerprintOf(statSync(file)))
})

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followPresets } from '../../../src/main/cli/follow-presets.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('presets are loaded again when a document is added, repaired where it is, replaced or deleted, and otherwise not', () => {
  const data = temporaryFolder()
  const folder = join(data, 'service', 'presets')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'web.json')
  let check: (() => void) | undefined
  let refreshed = 0
  followPresets(
    {
      service: { kind: 'builtIn' },
      environment: {
        platform: process.platform,
        env: { MEDIATRAY_DATA_DIR: data },
        home: data,
        cwd: data,
        timing: { after: (_, next) => ((check = next), () => undefined) },
      },
    },
    { connection: { refreshPresets: async () => void (refreshed += 1) } },
  )
  const refreshesAfter = (change: () => void) => {
    change()
    refreshed = 0
    check?.()
    return refreshed
  }
  expect(refreshesAfter(() => undefined)).toBe(0)
  expect(refreshesAfter(() => writeFileSync(file, '{bad'))).toBe(1)
  expect(refreshesAfter(() => writeFileSync(file, '{"name": "Web"}'))).toBe(1)
  expect(refreshesAfter(() => undefined)).toBe(0)
  writeFileSync(`${file}.tmp`, '{"name": "Web"}')
  expect(refreshesAfter(() => renameSync(`${file}.tmp`, file))).toBe(1)
  expect(refreshesAfter(() => rmSync(file))).toBe(1)
})

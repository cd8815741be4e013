import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followPresets } from '../../../src/main/cli/follow-presets.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Follows the presets of a new data folder. */
function follow() {
  const data = temporaryFolder()
  const folder = join(data, 'service', 'presets')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'web.json')
  const said: string[] = []
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
      report: { say: (event) => void (event.event === 'notice' && said.push(event.message)) },
    },
    { connection: { refreshPresets: async () => void (refreshed += 1) } },
  )
  return { file, said, check: () => check?.(), refreshed: () => refreshed }
}

it('presets are loaded again when a document is added, repaired where it is, replaced or deleted, and otherwise not', () => {
  const { file, check, refreshed } = follow()
  const refreshesAfter = (change: () => void) => {
    const before = refreshed()
    change()
    check()
    return refreshed() - before
  }
  expect(refreshesAfter(() => undefined)).toBe(0)
  expect(refreshesAfter(() => writeFileSync(file, '{bad'))).toBe(1)
  expect(refreshesAfter(() => writeFileSync(file, '{"name": "Web"}'))).toBe(1)
  expect(refreshesAfter(() => undefined)).toBe(0)
  writeFileSync(`${file}.tmp`, '{"name": "Web"}')
  expect(refreshesAfter(() => renameSync(`${file}.tmp`, file))).toBe(1)
  expect(refreshesAfter(() => rmSync(file))).toBe(1)
})

it('a preset that can’t be read is reported once until it changes, but not while it is being written', async () => {
  const { file, said, check } = follow()
  const named = [expect.stringContaining('The preset “web.json” in')]
  writeFileSync(file, '{bad')
  check()
  writeFileSync(file, '{bad again')
  check()
  expect(said).toEqual([])
  check()
  await expect.poll(() => said).toEqual(named)
  for (let n = 0; n < 3; n++) check()
  writeFileSync(file, '{"name": "Web", "image": {}}')
  check()
  check()
  await expect.poll(() => said).toEqual(named)
})

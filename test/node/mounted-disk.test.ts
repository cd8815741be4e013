import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { isTakenAway, mountPointOf } from '../../src/node/mounted-disk.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it.runIf(process.platform === 'linux')(
  'finds where a folder’s disk is mounted, even if the folder doesn’t exist yet',
  async () => {
    expect(await mountPointOf('/')).toBeUndefined()
    expect(await mountPointOf('/proc/self')).toBe('/proc')
    expect(await mountPointOf('/proc/missing/folder')).toBe('/proc')
    expect(await isTakenAway('/proc')).toBe(false)
  },
)

it('a disk has been taken away if its mount point is an ordinary folder or doesn’t exist', async () => {
  const point = join(temporaryFolder(), 'disks', 'card')
  await mkdir(point, { recursive: true })
  expect([await isTakenAway(undefined), await isTakenAway(point)]).toEqual([false, true])
  await rm(dirname(point), { recursive: true })
  expect(await isTakenAway(point)).toBe(true)
})

import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deviceBehind, isTakenAway } from '../../src/node/mounted-disk.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it.runIf(process.platform === 'linux')(
  'finds the device behind the mount point of a folder’s disk',
  async () => {
    expect(await deviceBehind('/')).toBeUndefined()
    const { dev } = await stat('/', { bigint: true })
    expect(await deviceBehind('/proc/self')).toBe(dev)
  },
)

it('doesn’t mistake a removed folder for an unmounted disk', async () => {
  const root = temporaryFolder()
  const folder = join(root, 'a', 'b')
  await mkdir(folder, { recursive: true })
  const { dev } = await stat(folder, { bigint: true })
  expect([await isTakenAway(folder, undefined), await isTakenAway(folder, dev)]).toEqual([false, true])
  await rm(join(root, 'a'), { recursive: true })
  expect([await isTakenAway(folder, dev - 1n), await isTakenAway(folder, dev)]).toEqual([false, true])
})

import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openMounts } from '../../../src/main/mounts/mounts.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let root = ''
let point = ''
beforeEach(() => {
  root = temporaryFolder()
  point = join(root, 'disk')
})

/** Each call asks like a new process. */
async function mountOf(folder: string, clock = Date.now): Promise<string | undefined> {
  const mounts = openMounts(join(root, 'mounts.json'), clock, () => undefined)
  const mount = await mounts.of(folder)
  await mounts.close()
  return mount
}

describe('a folder on a disk that was there', () => {
  it('needs that disk afterwards, like each folder that would be on it', async ({ skip }) => {
    using disk = smallDisk(point, '1m')
    if (disk === undefined) return skip()
    expect(await mountOf(join(point, 'out'))).toBe(point)
    disk.takeAway()
    expect(await mountOf(join(point, 'out'))).toBe(point)
    expect(await mountOf(join(point, 'other', 'out'))).toBe(point)
    expect(await mountOf(point)).toBe(point)
    expect(await mountOf(join(root, 'disk 2'))).toBe(await mountOf(root))
    disk.putBack()
    expect(await mountOf(join(point, 'out'))).toBe(point)
  })

  it('needs it even if its mount point is removed with it', async ({ skip }) => {
    using disk = smallDisk(point, '1m')
    if (disk === undefined) return skip()
    await mountOf(join(point, 'out'))
    disk.takeAway()
    rmdirSync(point)
    expect(await mountOf(join(point, 'out'))).toBe(point)
  })

  it('doesn’t need it anymore if the user has created the folder without it', async ({ skip }) => {
    using disk = smallDisk(point, '1m')
    if (disk === undefined) return skip()
    await mountOf(join(point, 'out'))
    disk.takeAway()
    mkdirSync(join(point, 'out'))
    expect(await mountOf(join(point, 'out', 'sub'))).toBe(await mountOf(root))
    expect(await mountOf(join(point, 'other'))).toBe(point)
  })
})

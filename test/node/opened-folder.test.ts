import { chmod, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import {
  createTrustedFolder,
  openFolderBelow,
  openTrustedFolder,
  rightsFrom,
} from '../../src/node/opened-folder.ts'
import { isForeignLink } from '../../src/node/trusted-path.ts'
import { withFault } from '../faults/vault/failing-steps.ts'
import { canMakeForeignLinks, makeForeignLink } from '../foreign-link.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

let root: string
beforeEach(async () => {
  root = temporaryFolder()
  await mkdir(join(root, 'results'))
})

it('creates folders below one that the user’s own link leads to', async () => {
  await symlink('results', join(root, 'link'))
  await using _ = await openFolderBelow(join(root, 'link'), ['2026', 'May'])
  expect(await readdir(join(root, 'results'), { recursive: true })).toEqual(['2026', '2026/May'])
})

it.runIf(canMakeForeignLinks)('opens and creates nothing behind another user’s link', async () => {
  makeForeignLink(join(root, 'results'), join(root, 'link'))
  const foreign = expect.toSatisfy(isForeignLink)
  await expect(openFolderBelow(join(root, 'link'), ['2026'])).rejects.toEqual(foreign)
  await expect(openTrustedFolder(join(root, 'link'))).rejects.toEqual(foreign)
  expect(await readdir(join(root, 'results'))).toEqual([])
})

itInLongSuite.skipIf(process.platform === 'win32')(
  'gives a folder that it creates again its rights, regardless of the step before which it is killed',
  async () => {
    const [above, folder] = [join(root, 'shared'), join(root, 'shared', 'in')]
    await mkdir(folder, { recursive: true })
    await chmod(folder, 0o2755)
    await chmod(above, 0o1777)
    const rights = await rightsFrom(folder)
    for (let step = 1, isKilled = true; isKilled; step++) {
      await rm(above, { recursive: true })
      isKilled = await withFault({ kind: 'kill', step }, () => createTrustedFolder(folder, rights))
      await createTrustedFolder(folder, rights)
      const modes = await Promise.all([above, folder].map(async (one) => (await stat(one)).mode & 0o7777))
      expect(modes, `step ${step}`).toEqual([0o1777, 0o2755])
      expect(await readdir(root), `step ${step}`).toEqual(['results', 'shared'])
    }
  },
)

import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openFolderBelow, openTrustedFolder } from '../../src/node/opened-folder.ts'
import { isForeignLink } from '../../src/node/trusted-path.ts'
import { canMakeForeignLinks, makeForeignLink } from '../foreign-link.ts'
import { temporaryFolder } from '../temporary-folder.ts'

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

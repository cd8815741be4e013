import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  isForeignLink,
  partlyRealPath,
  trustedNewPath,
  trustedRealPath,
} from '../../src/node/trusted-path.ts'
import { canMakeForeignLinks, makeForeignLink } from '../foreign-link.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let root: string
beforeEach(async () => {
  root = temporaryFolder()
  await mkdir(join(root, 'photos/sub'), { recursive: true })
})

const foreign = expect.toSatisfy(isForeignLink)

it('follows the user’s links, wherever they are on the path', async () => {
  await symlink('photos/../photos', join(root, 'relative'))
  await symlink(join(root, 'relative'), join(root, 'absolute'))
  expect(await trustedRealPath(join(root, 'absolute/sub/'))).toBe(join(root, 'photos/sub'))
  for (const resolved of [trustedNewPath, partlyRealPath])
    expect(await resolved(join(root, 'absolute/not/yet'))).toBe(join(root, 'photos/not/yet'))
})

it('reports a missing path and a circular link like the system', async () => {
  await symlink('circle', join(root, 'circle'))
  await expect(trustedRealPath(join(root, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(trustedRealPath(join(root, 'circle'))).rejects.toMatchObject({ code: 'ELOOP' })
  expect(await trustedNewPath(join(root, 'circle/in'))).toBe(join(root, 'circle/in'))
})

describe.runIf(canMakeForeignLinks)('another user’s link isn’t followed', () => {
  it.each([
    ['it is the folder', 'link'],
    ['it is a part of the path', 'link/sub'],
    ['the rest of the path is missing', 'link/not/yet'],
    ['the user’s own link leads to it', 'own/sub'],
  ])('if %s', async (_, path) => {
    makeForeignLink(join(root, 'photos'), join(root, 'link'))
    await symlink('link', join(root, 'own'))
    await expect(trustedRealPath(join(root, path))).rejects.toEqual(foreign)
    await expect(trustedNewPath(join(root, path))).rejects.toEqual(foreign)
  })

  it('if its target is missing', async () => {
    makeForeignLink(join(root, 'nowhere'), join(root, 'link'))
    await expect(trustedNewPath(join(root, 'link'))).rejects.toEqual(foreign)
  })
})

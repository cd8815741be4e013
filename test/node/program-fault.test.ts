import { chmod, chown, lchown, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { programFault } from '../../src/node/program-fault.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

async function program(mode: number): Promise<string> {
  const path = join(folder, 'program')
  await writeFile(path, '#!/bin/sh\n')
  await chmod(path, mode)
  return path
}

it('accepts the user’s own program, and follows a link to it', async () => {
  const path = await program(0o755)
  await symlink(path, join(folder, 'link'))
  expect(await programFault(path)).toBeUndefined()
  expect(await programFault(join(folder, 'link'))).toBeUndefined()
  await chmod(path, 0o777)
  expect(await programFault(join(folder, 'link'))).toBe('writableByOthers')
})

it.each([
  [0o775, 'writableByOthers'],
  [0o757, 'writableByOthers'],
  [0o644, 'notRunnable'],
])('refuses one with the mode %o: %s', async (mode, fault) => {
  expect(await programFault(await program(mode))).toBe(fault)
})

it('refuses a folder and a missing file', async () => {
  await mkdir(join(folder, 'folder'))
  expect(await programFault(join(folder, 'folder'))).toBe('notAFile')
  expect(await programFault(join(folder, 'nothing'))).toBe('missing')
})

// refuses a program that belongs to another user
it.runIf(process.getuid?.() === 0)('refuses one of another user', async () => {
  const path = await program(0o755)
  await chown(path, 12_345, 12_345)
  expect(await programFault(path)).toBe('foreignOwner')
})

it('refuses one that other users could exchange, but not in a folder such as /tmp', async () => {
  const path = await program(0o755)
  await chmod(folder, 0o777)
  expect(await programFault(path)).toBe('writableByOthers')
  await chmod(folder, 0o1777)
  expect(await programFault(path)).toBeUndefined()
})

it('follows links on the way', async () => {
  const path = await program(0o755)
  await mkdir(join(folder, 'open'))
  await symlink('../program', join(folder, 'open', 'second'))
  await symlink('open/second', join(folder, 'first'))
  await symlink('.', join(folder, 'self'))
  expect(await programFault(join(folder, 'self', 'self', 'first'))).toBeUndefined()
  await chmod(join(folder, 'open'), 0o777)
  expect(await programFault(join(folder, 'self', 'first'))).toBe('writableByOthers')
  expect(await programFault(path)).toBeUndefined()
})

// refuses links and folders of another user
it.runIf(process.getuid?.() === 0)(
  'refuses another user’s link to a system program, and folder',
  async () => {
    await symlink('/bin/sh', join(folder, 'hook'))
    expect(await programFault(join(folder, 'hook'))).toBeUndefined()
    await lchown(join(folder, 'hook'), 12_345, 12_345)
    expect(await programFault(join(folder, 'hook'))).toBe('foreignOwner')
    const path = await program(0o755)
    await chown(folder, 12_345, 12_345)
    expect(await programFault(path)).toBe('foreignOwner')
  },
)

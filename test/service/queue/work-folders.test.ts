import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createWorkFolders } from '../../../src/service/queue/work-folders.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let root: string
beforeEach(() => {
  root = join(temporaryFolder(), 'work')
})

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

it('gives each job an empty folder that only this user can access', async () => {
  const folders = await createWorkFolders(root)
  const [first, second] = [await folders.create(), await folders.create()]
  expect(first).not.toBe(second)
  expect(await readdir(first)).toEqual([])
  expect([await modeOf(first), await modeOf(root)]).toEqual([0o700, 0o700])
  await writeFile(join(first, 'a.png'), 'x')
  await folders.remove(first)
  expect(await readdir(dirname(first))).toHaveLength(1)
  await folders.close()
  expect(await readdir(root)).toEqual([])
})

it('restricts an older folder that others could access', async () => {
  await mkdir(root)
  await chmod(root, 0o755)
  await createWorkFolders(root)
  expect(await modeOf(root)).toBe(0o700)
})

it('removes folders of ended processes and folders without a process, but keeps those of running processes', async () => {
  // The first number is larger than any process ID.
  const left = [`${2 ** 30}-dead`, 'x33-unused', 'notes']
  const kept = ['1-x', `${process.pid}-x`, `${process.ppid}-x`]
  for (const name of [...left, ...kept]) {
    await mkdir(join(root, name), { recursive: true })
    await writeFile(join(root, name, 'a.png'), 'x')
  }
  await createWorkFolders(root)
  expect((await readdir(root)).toSorted()).toEqual(kept.toSorted())
})

it('leaves the folders of another service of this process alone', async () => {
  const first = await createWorkFolders(root)
  const kept = await first.create()
  const second = await createWorkFolders(root)
  await second.create()
  await second.close()
  expect((await stat(kept)).isDirectory()).toBe(true)
})

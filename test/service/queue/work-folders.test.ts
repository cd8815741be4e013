import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createWorkFolders } from '../../../src/service/queue/work-folders.ts'

let root: string
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'mediatray-work-')), 'work')
})
afterEach(() => rm(dirname(root), { recursive: true }))

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

it('gives each piece of work an empty folder that only this user can look into', async () => {
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

it('closes an older folder that others could look into', async () => {
  await mkdir(root)
  await chmod(root, 0o755)
  await createWorkFolders(root)
  expect(await modeOf(root)).toBe(0o700)
})

it('removes what ended processes have left, and what has no process in its name, but nothing of those that live', async () => {
  for (const name of ['11-dead', '22-alive', 'x33-nobody', 'notes']) {
    await mkdir(join(root, name), { recursive: true })
    await writeFile(join(root, name, 'a.png'), 'x')
  }
  const asked: number[] = []
  await createWorkFolders(root, (pid) => {
    asked.push(pid)
    return pid === 22
  })
  expect(await readdir(root)).toEqual(['22-alive'])
  expect(asked.toSorted((a, b) => a - b)).toEqual([11, 22])
})

it('knows which processes live', async () => {
  // No system gives this number to a process.
  const nobody = 2 ** 30
  for (const pid of [process.pid, 1, nobody]) await mkdir(join(root, `${pid}-x`), { recursive: true })
  await createWorkFolders(root)
  expect((await readdir(root)).toSorted()).toEqual(['1-x', `${process.pid}-x`].toSorted())
})

it('leaves the folders of another service of this process alone', async () => {
  const first = await createWorkFolders(root)
  const kept = await first.create()
  const second = await createWorkFolders(root)
  await second.create()
  await second.close()
  expect((await stat(kept)).isDirectory()).toBe(true)
})

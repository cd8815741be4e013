import { readdirSync } from 'node:fs'
import { mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  createPlacedReader,
  forgetPlacementNotes,
  isPlaced,
  placedFolderIn,
  readPlacementNotes,
} from '../../../src/main/core/placement-notes.ts'
import type { NotedResult } from '../../../src/main/watch/index.ts'
import { contentHash } from '../../../src/node/content-hash.ts'
import { openPlacementNotes } from '../../../src/node/placement-notes.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const EXPECTED = { preset: 'Mail', inputs: ['/in/a.jpg', '/in/b.jpg'], variations: 1, folder: '/out' }

const READ = { size: 9, mtime: 1, changed: 2, born: 1, device: '1', inode: '2' }

const placement = (name: string) => ({
  jobId: 'job',
  input: `/in/${name}`,
  variation: 1,
  preset: 'Mail',
  read: READ,
  path: `/out/${name}`,
  inode: '1',
  born: '0',
  size: 7,
  sha256: name,
  isCopy: false,
})

const reader = (data: string) => {
  const take = createPlacedReader(placedFolderIn(data))
  return () => {
    const taken: NotedResult[] = []
    take((results) => taken.push(...results))
    return taken.map(({ path, content }) => [path, content])
  }
}

it('each note of a running service is passed on once, also while it reserves space for more', async () => {
  const data = temporaryFolder()
  const notes = openPlacementNotes(placedFolderIn(data), () => undefined)
  const take = reader(data)
  notes.jobAdded('job', EXPECTED)
  expect(take()).toEqual([])
  void notes.placing(placement('a.jpg'))
  expect(take()).toEqual([['/out/a.jpg', 'a.jpg']])
  expect(take()).toEqual([])
  await notes.placing(placement('b.jpg'))
  expect(take()).toEqual([['/out/b.jpg', 'b.jpg']])
})

it('no more is read than the notes, even if gigabytes are reserved', async () => {
  const data = temporaryFolder()
  const folder = placedFolderIn(data)
  const notes = openPlacementNotes(folder, () => undefined)
  notes.jobAdded('job', EXPECTED)
  await notes.placing(placement('a.jpg'))
  await truncate(join(folder, readdirSync(folder)[0] ?? ''), 3 * 1024 ** 3)
  expect(reader(data)()).toEqual([['/out/a.jpg', 'a.jpg']])
  expect(readPlacementNotes(folder)).toMatchObject([{ placements: [{ path: '/out/a.jpg' }] }])
})

it('notes of a service are deleted once it has ended', async () => {
  const folder = placedFolderIn(temporaryFolder())
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '999999999-1'), '{"job":"job"}\n')
  const notes = readPlacementNotes(folder).map((service) => ({ ...service, isAlive: true }))
  forgetPlacementNotes(notes)
  expect(readdirSync(folder)).toHaveLength(1)
  forgetPlacementNotes(notes.map((service) => ({ ...service, isAlive: false })))
  expect(readdirSync(folder)).toEqual([])
})

it('a noted result isn’t in place if another file got its name, size and inode', async () => {
  const path = join(temporaryFolder(), 'a.jpg')
  await writeFile(path, 'result!')
  const { ino, birthtimeNs } = await stat(path, { bigint: true })
  const sha256 = await contentHash(path, 7)
  const noted = { ...placement('a.jpg'), path, born: String(birthtimeNs), sha256, at: 5 }
  expect(isPlaced({ ...noted, inode: String(ino) }, undefined)).toBe(true)
  // The file system doesn't know when the file was created.
  expect(isPlaced({ ...noted, inode: String(ino), born: '0' }, undefined)).toBe(true)
  // A file system reuses inodes when it wants to, so this imitates one.
  await rm(path)
  await writeFile(path, 'another')
  const { ino: reused } = await stat(path, { bigint: true })
  expect(isPlaced({ ...noted, inode: String(reused) }, undefined)).toBe(false)
})

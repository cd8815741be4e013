import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import { openTemporaryFiles } from '../../../src/service/processing/temporary-files.ts'
import { startDoomed } from '../../doomed.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Larger than any process ID. */
const DEAD = `${2 ** 30}-0123456789abcdef`
const ALIVE = `${process.ppid}-fedcba9876543210`

let root: string
let notes: string
let shared: string
const logged: string[] = []
beforeEach(async () => {
  root = temporaryFolder()
  notes = join(root, 'unfinished')
  shared = join(root, 'photos')
  await mkdir(shared)
  logged.length = 0
})

const open = () => openTemporaryFiles(notes, (message) => logged.push(message))
const put = (...names: readonly string[]) =>
  Promise.all(names.map((name) => writeFile(join(shared, name), 'x')))

async function note(mark: string, ...folders: readonly string[]): Promise<void> {
  await mkdir(notes, { recursive: true })
  await writeFile(join(notes, mark), folders.map((folder) => `${JSON.stringify(folder)}\n`).join(''))
}

it('records a folder before writing there, and removes the note on an orderly exit', async () => {
  const files = await open()
  const names = [await files.nameIn(shared), await files.nameIn(shared)]
  // The random ends don't predict each other.
  expect(new Set(names.map((name) => name.slice(-16))).size).toBe(2)
  for (const name of names) expect(name).toMatch(/^\.mediatray-.*-[0-9a-f]{16}$/)
  expect(await readFile(join(notes, OWN_MARK), 'utf8')).toBe(`${JSON.stringify(shared)}\n`)
  expect((await stat(join(notes, OWN_MARK))).mode & 0o777).toBe(0o600)
  await files.close()
  expect(await readdir(notes)).toEqual([])
})

it('removes files that a killed process left, and nothing that belongs to others', async () => {
  const kept = [
    '.mediatray-fedcba9876543210-1-1.part.jpg',
    '.mediatray-0123456789abcdef0-1-1.part.jpg',
    '.mediatray-mine',
    'a.jpg',
  ]
  await put('.mediatray-0123456789abcdef-1-1.part.jpg', '.mediatray-0123456789abcdef-12', ...kept)
  await note(DEAD, join(root, 'gone'), shared)
  await note(ALIVE, shared)
  await open()
  expect((await readdir(shared)).toSorted()).toEqual(kept.toSorted())
})

it('removes private folders and the files named after them, but doesn’t follow a link in place of a folder', async () => {
  const [folder, planted] = ['.mediatray-0123456789abcdef-3-a', '.mediatray-0123456789abcdef-4-b']
  const mine = join(root, 'mine')
  for (const path of [join(shared, folder), mine]) await mkdir(path)
  await writeFile(join(shared, folder, `${folder}-1-c.part.jpg`), 'half')
  await writeFile(join(mine, 'photo.jpg'), 'precious')
  await symlink(mine, join(shared, planted))
  await note(DEAD, shared)
  await open()
  expect(await readdir(shared)).toEqual([])
  expect(await readdir(mine)).toEqual(['photo.jpg'])
})

it('removes at the end what a worker has written that outlived its killed service', async () => {
  await note(DEAD, shared)
  const files = await open()
  await put('.mediatray-0123456789abcdef-1-1.part.jpg')
  await files.close()
  expect(await readdir(shared)).toEqual([])
})

it('removes leftovers from a disk that was away when its task ended, at the end or at a later launch', async ({
  skip,
}) => {
  using disk = smallDisk(join(root, 'disk'), '1m')
  if (disk === undefined) return skip()
  const output = join(root, 'disk')
  const files = await open()
  const name = await files.nameIn(output)
  disk.takeAway()
  await files.close()
  expect(await readdir(notes)).toEqual([OWN_MARK])
  disk.putBack()
  await mkdir(join(output, name), { mode: 0o700 })
  await files.close()
  expect([await readdir(notes), await readdir(output)]).toEqual([[], []])
})

it('checks again at every launch for a week, because a disk may have been disconnected', async () => {
  await note(DEAD, shared)
  await open()
  await put('.mediatray-0123456789abcdef-1')
  await open()
  expect(await readdir(shared)).toEqual([])
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
  await utimes(join(notes, DEAD), longAgo, longAgo)
  await open()
  expect(await readdir(notes)).toEqual([])
})

it('checks again on request, for files that were in use at startup', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await note(`${other.pid}-0123456789abcdef`, shared)
  await put('.mediatray-0123456789abcdef-1')
  const files = await open()
  expect(await readdir(shared)).toHaveLength(1)
  other.kill('SIGKILL')
  await once(other, 'close')
  await files.sweep()
  expect(await readdir(shared)).toEqual([])
})

it('removes the empty files that a killed process used to reserve names on file systems without hard links', async () => {
  await put('full.jpg')
  const { ended, kill } = startDoomed(join(import.meta.dirname, 'doomed-reserver.ts'), notes, shared)
  await expect.poll(() => readdir(shared)).toContain('held.jpg')
  kill()
  await ended
  // Files that were there before or were added since belong to someone else.
  await writeFile(join(shared, 'later.jpg'), '')
  const later = new Date(Date.now() + 120_000)
  await utimes(join(shared, 'later.jpg'), later, later)
  expect(await readdir(shared)).toEqual(expect.arrayContaining(['empty.jpg', 'held.jpg']))
  await open()
  expect((await readdir(shared)).toSorted()).toEqual(['empty.jpg', 'full.jpg', 'later.jpg'])
})

it('ignores invalid notes', async () => {
  await put('.mediatray-0123456789abcdef-1')
  await note(DEAD)
  await writeFile(join(notes, DEAD), `{"a":1}\n"relative"\n12\n${JSON.stringify(shared).slice(0, -3)}`)
  await open()
  expect(await readdir(shared)).toHaveLength(1)
})

it('allows writing to a folder that can’t be recorded', async () => {
  await writeFile(notes, 'a file in the way')
  const files = await open()
  expect(await files.nameIn(shared)).toMatch(/^\.mediatray-/)
  expect(logged).toEqual([expect.stringContaining('note a folder')])
})

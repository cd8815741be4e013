import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import { openTemporaryFiles } from '../../../src/service/processing/temporary-files.ts'

/** No system gives this number to a process. */
const DEAD = `${2 ** 30}-0123456789abcdef`
const ALIVE = `${process.ppid}-fedcba9876543210`

let root: string
let notes: string
let people: string
const logged: string[] = []
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-temporary-'))
  notes = join(root, 'unfinished')
  people = join(root, 'photos')
  await mkdir(people)
  logged.length = 0
})
afterEach(() => rm(root, { recursive: true }))

const open = () => openTemporaryFiles(notes, (message) => logged.push(message))
const put = (...names: readonly string[]) =>
  Promise.all(names.map((name) => writeFile(join(people, name), 'x')))

async function note(mark: string, ...folders: readonly string[]): Promise<void> {
  await mkdir(notes, { recursive: true })
  await writeFile(join(notes, mark), folders.map((folder) => `${JSON.stringify(folder)}\n`).join(''))
}

it('notes a folder before anything is written there, and forgets it at an orderly end', async () => {
  const files = await open()
  const names = [await files.nameIn(people), await files.nameIn(people)]
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(name).toMatch(/^\.mediatray-/)
  expect(await readFile(join(notes, OWN_MARK), 'utf8')).toBe(`${JSON.stringify(people)}\n`)
  expect((await stat(join(notes, OWN_MARK))).mode & 0o777).toBe(0o600)
  await files.close()
  expect(await readdir(notes)).toEqual([])
})

it('removes what a killed process has left, and nothing that is somebody else’s', async () => {
  const kept = [
    '.mediatray-fedcba9876543210-1-1.part.jpg',
    '.mediatray-0123456789abcdef0-1-1.part.jpg',
    '.mediatray-mine',
    'a.jpg',
  ]
  await put('.mediatray-0123456789abcdef-1-1.part.jpg', '.mediatray-0123456789abcdef-12', ...kept)
  await note(DEAD, join(root, 'gone'), people)
  await note(ALIVE, people)
  await open()
  expect((await readdir(people)).toSorted()).toEqual(kept.toSorted())
})

it('looks once more at every start for a week, because a disk may have been away', async () => {
  await note(DEAD, people)
  await open()
  await put('.mediatray-0123456789abcdef-1')
  await open()
  expect(await readdir(people)).toEqual([])
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
  await utimes(join(notes, DEAD), longAgo, longAgo)
  await open()
  expect(await readdir(notes)).toEqual([])
})

it('notes that make no sense remove nothing', async () => {
  await put('.mediatray-0123456789abcdef-1')
  await note(DEAD)
  await writeFile(join(notes, DEAD), `{"a":1}\n"relative"\n12\n${JSON.stringify(people).slice(0, -3)}`)
  await open()
  expect(await readdir(people)).toHaveLength(1)
})

it('a folder that can’t be noted is written to all the same', async () => {
  await writeFile(notes, 'a file in the way')
  const files = await open()
  expect(await files.nameIn(people)).toMatch(/^\.mediatray-/)
  expect(logged).toEqual([expect.stringContaining('not noted')])
})

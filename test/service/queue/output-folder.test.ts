import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { prepareOutputFolder } from '../../../src/service/queue/work-folders.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
  await chmod(folder, 0o755)
})

const prepare = (given: string) => prepareOutputFolder(given, () => Promise.resolve(`.${randomUUID()}`))
const refused = (message: string) => expect.objectContaining({ status: 400, message })

it('creates every missing folder, returns its path, and leaves it empty', async () => {
  expect(await prepare(`${folder}/x/../a/b/c/`)).toBe(join(folder, 'a/b/c'))
  expect(await readdir(join(folder, 'a/b/c'))).toEqual([])
  expect(await readdir(folder)).toEqual(['a'])
})

it('accepts an existing folder with content', async () => {
  await writeFile(join(folder, 'kept.png'), 'x')
  expect(await prepare(folder)).toBe(folder)
  expect(await readdir(folder)).toEqual(['kept.png'])
})

it('creates a folder once for two concurrent requests', async () => {
  const wanted = join(folder, 'a/b')
  await expect(Promise.all([prepare(wanted), prepare(wanted)])).resolves.toEqual([wanted, wanted])
})

it.each(['results', './results', '', '/a\0b'])('refuses %j, which is not an absolute path', async (given) => {
  await expect(prepare(given)).rejects.toEqual(refused('outputFolder must be an absolute path.'))
})

const unusable = (reason: string, path: string) => refused(`Couldn’t use outputFolder (${path}): ${reason}`)

it('names the path that can’t be created', async () => {
  const file = join(folder, 'file')
  await writeFile(file, 'x')
  await expect(prepare(file)).rejects.toEqual(unusable('a file with this name already exists', file))
  await expect(prepare(join(file, 'sub'))).rejects.toEqual(
    unusable('a file with this name already exists', join(file, 'sub')),
  )
  const long = join(folder, 'x'.repeat(300))
  await expect(prepare(long)).rejects.toEqual(unusable('the path is too long', long))
  expect((await stat(file)).size).toBe(1)
})

it.runIf(process.platform === 'linux')('explains if the system doesn’t allow creating a folder', async () => {
  await expect(prepare('/proc/mediatray')).rejects.toEqual(
    refused('Couldn’t use outputFolder (/proc/mediatray): it can’t be created there'),
  )
})

it.runIf(canMakeForeignLinks)('doesn’t write or create anything behind another user’s link', async () => {
  const link = join(folder, 'link')
  await mkdir(join(folder, 'private'))
  makeForeignLink(join(folder, 'private'), link)
  for (const given of [link, join(link, 'new')])
    await expect(prepare(given)).rejects.toEqual(
      unusable('a link on its path belongs to another user', given),
    )
  expect(await readdir(join(folder, 'private'))).toEqual([])
})

it('explains if this user may not write there', async () => {
  await expect(asOrdinaryUser(() => prepare(folder))).rejects.toEqual(
    refused(`Couldn’t use outputFolder (${folder}): access is denied`),
  )
})

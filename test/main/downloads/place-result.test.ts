import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  localName,
  placeResult,
  preparePartialFolder,
  removePartialFolder,
} from '../../../src/main/downloads/place-result.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder = ''
beforeEach(async () => {
  folder = temporaryFolder()
})

const names = async (path = folder) => (await readdir(path)).toSorted()

/** A complete file that waits to be moved into place. */
async function partial(content = 'result'): Promise<string> {
  const path = join(folder, 'partial')
  await writeFile(path, content)
  return path
}

describe('the name of a result', () => {
  it('is the file name in the service’s path, in the path syntax of any system', () => {
    expect(localName('/srv/out/a.jpg', 'job-1')).toBe('a.jpg')
    expect(localName('C:\\out\\b.jpg', 'job-1')).toBe('b.jpg')
  })

  it('is derived from the job if the service gave none, and is never empty', () => {
    expect(localName('', 'job-1')).toBe('job-1')
    expect(localName('/srv/..', 'job-1')).toBe('job-1')
    expect(localName('', '..')).toBe('result')
  })
})

describe('the folder for incoming results', () => {
  it('is created with its parents, and only partial files of a killed process are removed from it', async () => {
    const partial = join(folder, 'out', '.mediatray-r')
    await preparePartialFolder(partial)
    await writeFile(join(partial, '0'), 'whole')
    await writeFile(join(partial, `.mediatray-${randomUUID()}.part`), 'half')
    await preparePartialFolder(partial)
    expect(await names(partial)).toEqual(['0'])
  })

  it('is private, and is not used if it is a link', async () => {
    const partial = join(folder, '.mediatray-r')
    await preparePartialFolder(partial)
    expect((await stat(partial)).mode & 0o777).toBe(0o700)
    const mine = join(folder, 'mine')
    await mkdir(mine)
    await rm(partial, { recursive: true })
    await symlink(mine, partial)
    await expect(preparePartialFolder(partial)).rejects.toThrow('not created by Mediatray')
    expect(await names()).toEqual(['.mediatray-r', 'mine'])
  })

  // Only root can change the owner of a folder.
  it.runIf(process.getuid?.() === 0)('is not used if another user has created it', async () => {
    const partial = join(folder, '.mediatray-r')
    await mkdir(partial)
    await chown(partial, 12_345, 12_345)
    await expect(preparePartialFolder(partial)).rejects.toThrow('not created by Mediatray')
  })

  it.runIf(canMakeForeignLinks)('is not created behind another user’s link', async () => {
    await mkdir(join(folder, 'private'))
    makeForeignLink(join(folder, 'private'), join(folder, 'out'))
    await expect(preparePartialFolder(join(folder, 'out', '.mediatray-r'))).rejects.toThrow('isn’t followed')
    expect(await names(join(folder, 'private'))).toEqual([])
  })

  it('is removed with its content, and may already be missing', async () => {
    const partial = join(folder, '.mediatray-r')
    await mkdir(partial)
    for (const name of ['0', `.mediatray-${randomUUID()}.part`]) await writeFile(join(partial, name), 'x')
    await removePartialFolder(partial)
    await removePartialFolder(partial)
    expect(await names()).toEqual([])
  })

  it('is cleared only of Mediatray’s files, even if another user has replaced it with a link', async () => {
    const mine = join(folder, 'mine')
    await mkdir(join(mine, 'photos'), { recursive: true })
    await writeFile(join(mine, 'photos', '0'), 'mine')
    await writeFile(join(mine, 'letter.part'), 'mine')
    const partial = join(folder, '.mediatray-r')
    await symlink(mine, partial)
    await removePartialFolder(partial)
    expect(await names(mine)).toEqual(['letter.part', 'photos'])
    await rm(partial)
    await rename(mine, partial)
    await removePartialFolder(partial)
    expect(await names(join(partial, 'photos'))).toEqual(['0'])
  })
})

describe('the final name of a result', () => {
  it('is the first unused name, and is recorded before it is used', async () => {
    await writeFile(join(folder, 'a.jpg'), 'mine')
    await writeFile(join(folder, 'a (2).jpg'), 'mine too')
    const told: [string, boolean][] = []
    const path = await placeResult(await partial(), folder, 'a.jpg', null, (at) => {
      told.push([at, existsSync(at)])
    })
    expect(path).toBe(join(folder, 'a (3).jpg'))
    expect(told).toEqual([[path, false]])
    expect(await readFile(path, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a (2).jpg', 'a (3).jpg', 'a.jpg'])
  })

  it('is the name that a killed run reserved with an empty file', async () => {
    const reserved = join(folder, 'a (2).jpg')
    await writeFile(reserved, '')
    expect(await placeResult(await partial(), folder, 'a.jpg', reserved, expect.unreachable)).toBe(reserved)
    expect(await readFile(reserved, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a (2).jpg'])
  })

  it('is not a reserved name that someone else has used in the meantime', async () => {
    const taken = join(folder, 'a.jpg')
    await writeFile(taken, 'mine')
    const path = await placeResult(await partial(), folder, 'a.jpg', taken, () => undefined)
    expect(path).toBe(join(folder, 'a (2).jpg'))
    expect(await readFile(taken, 'utf8')).toBe('mine')
  })

  it('is the name that a killed run chose but never used', async () => {
    const free = join(folder, 'a.jpg')
    expect(await placeResult(await partial(), folder, 'a.jpg', free, () => undefined)).toBe(free)
    expect(await readFile(free, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a.jpg'])
  })
})

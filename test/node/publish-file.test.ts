import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishFile, publishUnderFreeName } from '../../src/node/publish-file.ts'

async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-publish-'))
  for (const name of names) await writeFile(join(folder, name), name)
  return folder
}

describe('publishing a finished file', () => {
  it('gives it its name and takes the temporary one away', async () => {
    const folder = await folderWith('.part')
    expect(await publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).toBe(true)
    expect(await readdir(folder)).toEqual(['photo.jpg'])
  })

  it('never replaces what has the name already', async () => {
    const folder = await folderWith('.part', 'photo.jpg')
    expect(await publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).toBe(false)
    expect(await readFile(join(folder, 'photo.jpg'), 'utf8')).toBe('photo.jpg')
    expect(await readdir(folder)).toEqual(['.part', 'photo.jpg'])
  })

  it('takes the first name that is free', async () => {
    const folder = await folderWith('.part', 'photo.jpg', 'photo-2.jpg')
    const path = await publishUnderFreeName(join(folder, '.part'), (attempt) =>
      join(folder, attempt === 1 ? 'photo.jpg' : `photo-${attempt}.jpg`),
    )
    expect(path).toBe(join(folder, 'photo-3.jpg'))
    expect(await readFile(path, 'utf8')).toBe('.part')
  })

  it('leaves no empty file behind where it can’t be done', async () => {
    // Neither a link nor a rename of a folder onto a file is possible: the reserved name has to be free again.
    const folder = await folderWith()
    await mkdir(join(folder, '.part'))
    await expect(publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).rejects.toThrow(
      /ENOTDIR|EPERM|EEXIST/,
    )
    expect(await readdir(folder)).toEqual(['.part'])
  })

  it('says that a temporary file has gone, and reserves nothing for it', async () => {
    const folder = await folderWith()
    await expect(publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).rejects.toThrow('ENOENT')
    expect(await readdir(folder)).toEqual([])
  })
})

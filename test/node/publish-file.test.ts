import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishFile, publishUnderFreeName } from '../../src/node/publish-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = temporaryFolder()
  for (const name of names) await writeFile(join(folder, name), name)
  return folder
}

describe('publishing a finished file', () => {
  it('gives the file its name, and removes the temporary file', async () => {
    const folder = await folderWith('.part')
    expect(await publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).toBe(true)
    expect(await readdir(folder)).toEqual(['photo.jpg'])
  })

  it('never replaces a file with the same name', async () => {
    const folder = await folderWith('.part', 'photo.jpg')
    expect(await publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).toBe(false)
    expect(await readFile(join(folder, 'photo.jpg'), 'utf8')).toBe('photo.jpg')
    expect(await readdir(folder)).toEqual(['.part', 'photo.jpg'])
  })

  it('uses the first free name', async () => {
    const folder = await folderWith('.part', 'photo.jpg', 'photo-2.jpg')
    const path = await publishUnderFreeName(join(folder, '.part'), (attempt) =>
      join(folder, attempt === 1 ? 'photo.jpg' : `photo-${attempt}.jpg`),
    )
    expect(path).toBe(join(folder, 'photo-3.jpg'))
    expect(await readFile(path, 'utf8')).toBe('.part')
  })

  it('leaves no empty file behind if it fails', async () => {
    // A folder can be neither linked nor renamed onto a file, so publishing it fails and must release the reserved name.
    const folder = await folderWith()
    await mkdir(join(folder, '.part'))
    await expect(publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).rejects.toThrow(
      /ENOTDIR|EPERM|EEXIST/,
    )
    expect(await readdir(folder)).toEqual(['.part'])
  })

  it('never records a name that is already in use, on a file system without hard links', async () => {
    const folder = await folderWith('empty.jpg')
    await mkdir(join(folder, '.part'))
    const noted: string[] = []
    const note = async (target: string) => void noted.push(target)
    expect(await publishFile(join(folder, '.part'), join(folder, 'empty.jpg'), note)).toBe(false)
    await expect(publishFile(join(folder, '.part'), join(folder, 'photo.jpg'), note)).rejects.toThrow()
    expect(noted).toEqual([join(folder, 'photo.jpg')])
  })

  it('reports a missing temporary file, and reserves no name for it', async () => {
    const folder = await folderWith()
    await expect(publishFile(join(folder, '.part'), join(folder, 'photo.jpg'))).rejects.toThrow('ENOENT')
    expect(await readdir(folder)).toEqual([])
  })
})

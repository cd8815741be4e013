import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkLocalInput, checkLocalInputs } from '../../../src/service/queue/local-inputs.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const MP4 = Buffer.from('\0\0\0\x20ftypisom', 'latin1')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-local-'))
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true }))

const put = async (name: string, bytes: Uint8Array): Promise<string> => {
  await writeFile(join(folder, name), bytes)
  return join(folder, name)
}
const problem = async (path: string) => {
  const checked = await checkLocalInput(path)
  return 'problem' in checked ? checked.problem : 'none'
}

describe('a file', () => {
  it('is taken for what its name and its content say together', async () => {
    expect(await checkLocalInput(await put('a.png', PNG))).toEqual({
      input: { path: join(folder, 'a.png'), kind: 'image' },
    })
    expect(await checkLocalInput(await put('a.MOV', MP4))).toEqual({
      input: { path: join(folder, 'a.MOV'), kind: 'video' },
    })
    expect(await problem(await put('b.png', MP4))).toBe('The name says image, but it holds a video')
    expect(await problem(await put('b.mp4', PNG))).toBe('The name says video, but it holds an image')
    expect(await problem(await put('c.mp4', Buffer.from('plain text')))).toBe(
      'The name says video, but its content is neither image nor video',
    )
  })

  it('that can’t be an input has its reason', async () => {
    await mkdir(join(folder, 'folder.png'))
    await symlink('/dev/null', join(folder, 'device.png'))
    expect(await problem(join(folder, 'folder.png'))).toBe('This is a folder, not a file')
    expect(await problem(join(folder, 'device.png'))).toBe('This is not a regular file')
    expect(await problem(await put('empty.png', PNG.subarray(0, 0)))).toBe('The file is empty')
    expect(await problem(join(folder, 'gone.png'))).toBe('The file does not exist')
    expect(await problem(join(await put('a.png', PNG), 'b.png'))).toBe('The file does not exist')
    expect(await problem(join(folder, `${'x'.repeat(300)}.png`))).toBe('The path is too long')
    expect(await problem('a.png')).toBe('The path is not absolute')
    expect(await problem('/a\0.png')).toBe('The path holds a character that no file name may have')
    expect(await problem('/a.docx')).toMatch(/^Files of type \.docx are not supported; supported are jpg, /)
    expect(await problem('/a')).toMatch(/^The file name has no extension; supported are /)
    await symlink('loop.png', join(folder, 'loop.png'))
    expect(await problem(join(folder, 'loop.png'))).toBe("The file can't be read (ELOOP)")
  })

  it('that this user may not read says so', async () => {
    const path = await put('secret.png', PNG)
    await chmod(path, 0o000)
    expect(await asOrdinaryUser(() => problem(path))).toBe('The file may not be read by this user')
  })
})

it('keeps the order, counts a path once however it is written, and names others as they were given', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index}.png`)
  for (const name of names) await put(name, PNG)
  const given = names.map((name) => join(folder, name))
  const again = `${folder}/./0.png`
  const { inputs, skipped } = await checkLocalInputs([...given, again, 'b.png', `${folder}/x/../gone.png`])
  expect(inputs.map(({ path }) => path)).toEqual(given)
  expect(skipped).toEqual([
    { file: 'b.png', error: 'The path is not absolute' },
    { file: `${folder}/x/../gone.png`, error: 'The file does not exist' },
  ])
})

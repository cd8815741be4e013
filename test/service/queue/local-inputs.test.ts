import { fileError } from '../../../src/shared/api/reported.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkLocalInput, checkLocalInputs } from '../../../src/service/queue/local-inputs.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { mediaCorpus, oddMedia } from '../../media-corpus.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a4649460001', 'hex')
const MP4 = Buffer.from('\0\0\0\x20ftypisom', 'latin1')

let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
  await chmod(folder, 0o755)
})

const put = async (name: string, bytes: Uint8Array): Promise<string> => {
  await writeFile(join(folder, name), bytes)
  return join(folder, name)
}
const problem = async (path: string) => {
  const checked = await checkLocalInput(path)
  return 'problem' in checked ? inEnglish(checked.problem) : 'none'
}

const corpus = [...mediaCorpus(), ...oddMedia()].filter((entry) => entry.expect === 'processable')

it.skipIf(corpus.length === 0)('accepts every file that common decoders show', async () => {
  for (const { path, kind } of corpus) expect(await checkLocalInput(path)).toMatchObject({ input: { kind } })
})

describe('a file', () => {
  it('has its type determined by both its name and its content', async () => {
    expect(await checkLocalInput(await put('a.png', PNG))).toMatchObject({
      input: { path: join(folder, 'a.png'), kind: 'image' },
    })
    expect(await checkLocalInput(await put('a.MOV', MP4))).toMatchObject({
      input: { path: join(folder, 'a.MOV'), kind: 'video' },
    })
    const stray = Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(300, 1), JPEG.subarray(2)])
    expect(await checkLocalInput(await put('stray.jpg', stray))).toMatchObject({ input: { kind: 'image' } })
    expect(await checkLocalInput(await put('jpeg.png', JPEG))).toMatchObject({ input: { kind: 'image' } })
    expect(await problem(await put('b.png', MP4))).toBe(
      'The file is named like a photo but contains a video.',
    )
    expect(await problem(await put('b.mp4', PNG))).toBe(
      'The file is named like a video but contains an image.',
    )
    expect(await problem(await put('c.mp4', Buffer.from('plain text')))).toBe(
      'The file is named like a video but isn’t a photo or video.',
    )
  })

  it('that can’t be an input is reported with the reason', async () => {
    await mkdir(join(folder, 'folder.png'))
    await symlink('/dev/null', join(folder, 'device.png'))
    expect(await problem(join(folder, 'folder.png'))).toBe('This is a folder, not a file.')
    expect(await problem(join(folder, 'device.png'))).toBe('This isn’t a regular file.')
    expect(await problem(await put('empty.png', PNG.subarray(0, 0)))).toBe('The file is empty.')
    expect(await problem(join(folder, 'gone.png'))).toBe('Couldn’t read the file: it doesn’t exist.')
    expect(await problem(join(await put('a.png', PNG), 'b.png'))).toBe(
      'Couldn’t read the file: it doesn’t exist.',
    )
    expect(await problem(join(folder, `${'x'.repeat(300)}.png`))).toBe(
      'Couldn’t read the file: the path is too long.',
    )
    expect(await problem('a.png')).toBe('The path isn’t absolute.')
    expect(await problem('/a\0.png')).toBe('The path contains an invalid character.')
    expect(await problem('/a.docx')).toMatch(/^Files of type \.docx aren’t supported\. Supported are jpg, /)
    expect(await problem('/a')).toMatch(/^The file name has no extension\. Supported are /)
    await symlink('loop.png', join(folder, 'loop.png'))
    expect(await problem(join(folder, 'loop.png'))).toBe('Couldn’t read the file: the system reported ELOOP.')
  })

  it('that this user can’t read is reported as unreadable', async () => {
    const path = await put('secret.png', PNG)
    await chmod(path, 0o000)
    expect(await asOrdinaryUser(() => problem(path))).toBe('Couldn’t read the file: access is denied.')
  })
})

it('keeps the order, counts a path once in any notation, and reports unusable files by their given names', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index}.png`)
  for (const name of names) await put(name, PNG)
  const given = names.map((name) => join(folder, name))
  const again = `${folder}/./0.png`
  const { inputs, skipped } = await checkLocalInputs([...given, again, 'b.png', `${folder}/x/../gone.png`])
  expect(inputs.map(({ path }) => path)).toEqual(given)
  expect(skipped).toEqual([
    fileError('b.png', failure('pathNotAbsolute')),
    fileError(`${folder}/x/../gone.png`, failure('fileUnreadable', { reason: reason('missing') })),
  ])
})

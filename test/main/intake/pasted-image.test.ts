import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'
import { savePastedImage } from '../../../src/main/intake/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
const now = new Date(2026, 10, 17, 14, 32, 5).getTime()

beforeEach(async () => {
  folder = join(temporaryFolder(), 'Pasted')
})

const image = (format: 'png' | 'jpeg' | 'webp' | 'tiff') =>
  sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer()

describe('a pasted image', () => {
  it.each([
    ['png', 'png'],
    ['jpeg', 'jpg'],
    ['webp', 'webp'],
    ['tiff', 'tiff'],
  ] as const)(
    'of type %s is saved as a file of that type, regardless of its name',
    async (format, extension) => {
      const bytes = await image(format)
      const saved = await savePastedImage({ bytes, name: 'image.png' }, { folder, now })
      const name = `Pasted 2026-11-17 14.32.05.${extension}`
      expect(saved).toEqual({ path: join(folder, name), name, kind: 'image', size: bytes.length })
      expect(await readFile(join(folder, name))).toEqual(bytes)
    },
  )

  it.each([
    ['BM and a text.(\0\0\0', 'bmp'],
    ['GIF89a and more', 'gif'],
    ['MM\0* and more', 'tiff'],
    ['1234ftypheic', 'heic'],
    ['1234ftyphevc', 'heic'],
    ['1234ftypmif1', 'heic'],
    ['1234ftypmsf1', 'heic'],
  ])('is recognized by its first bytes alone: %j is %s', async (head, extension) => {
    const bytes = new TextEncoder().encode(head)
    const saved = await savePastedImage({ bytes, name: '' }, { folder, now })
    expect(saved).toMatchObject({ name: `Pasted 2026-11-17 14.32.05.${extension}` })
  })

  it('is accessible only to its owner', async () => {
    const saved = await savePastedImage({ bytes: await image('png'), name: '' }, { folder, now })
    expect((await stat(saved.path)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('never replaces another pasted image', async () => {
    const bytes = await image('png')
    for (let times = 0; times < 3; times++) await savePastedImage({ bytes, name: '' }, { folder, now })
    expect((await readdir(folder)).toSorted()).toEqual([
      'Pasted 2026-11-17 14.32.05 2.png',
      'Pasted 2026-11-17 14.32.05 3.png',
      'Pasted 2026-11-17 14.32.05.png',
    ])
  })

  it('is rejected if it isn’t an image', async () => {
    const place = { folder, now }
    const text = new TextEncoder().encode('BM and a text')
    expect(await savePastedImage({ bytes: text, name: 'a.png' }, place)).toMatchObject({
      reason: 'unsupported',
    })
    expect(await savePastedImage({ bytes: new Uint8Array(), name: '' }, place)).toMatchObject({
      reason: 'empty',
    })
    expect(await savePastedImage({ bytes: text, name: '' }, place)).toMatchObject({ path: '', name: 'image' })
    expect(await savePastedImage({ bytes: text, name: 'a.png' }, place)).toMatchObject({ name: 'a.png' })
    const bytes = await image('png')
    const unwritable = await savePastedImage({ bytes, name: '' }, { folder: '/dev/null/x', now })
    expect(unwritable).toMatchObject({ reason: 'unreadable', detail: 'ENOTDIR' })
  })
})

import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openUploadSource, type OpenedSource } from '../../../src/main/service-api/upload-source.ts'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-source-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function opened(source: Parameters<typeof openUploadSource>[0]): Promise<OpenedSource> {
  const result = await openUploadSource(source)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** What is read of it, or the error with which reading ends. */
async function read({ body, close }: OpenedSource): Promise<Buffer | string> {
  const parts: Buffer[] = []
  try {
    for await (const part of body) if (part instanceof Buffer) parts.push(Buffer.from(part))
    return Buffer.concat(parts)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await close()
  }
}

async function* given(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}

/** A file of that size which takes no room. */
async function hollow(name: string, size: number): Promise<string> {
  const path = join(folder, name)
  const file = await open(path, 'w')
  await file.truncate(size)
  await file.close()
  return path
}

describe('what the service takes', () => {
  it('is up to its limit to the byte', async () => {
    const source = await opened({ path: await hollow('limit.mp4', MAX_UPLOAD_BYTES) })
    expect([source.name, source.size]).toEqual(['limit.mp4', MAX_UPLOAD_BYTES])
    source.body.destroy()
    await source.close()
    expect(await openUploadSource({ path: await hollow('over.mp4', MAX_UPLOAD_BYTES + 1) })).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('500 MiB') },
    })
  })

  it('goes by the name that it is given rather than by that of the file', async () => {
    const path = join(folder, 'no-ending')
    await writeFile(path, 'content')
    expect(await openUploadSource({ path })).toMatchObject({ ok: false, error: { kind: 'refused' } })
    const source = await opened({ path, name: 'photo.jpg' })
    expect([source.name, source.size, String(await read(source))]).toEqual(['photo.jpg', 7, 'content'])
    expect(source.trouble()).toBeUndefined()
  })

  it('is a file that can be read', async () => {
    const path = join(folder, 'locked', 'a.jpg')
    expect(await openUploadSource({ path })).toMatchObject({
      error: { kind: 'localFile', path, code: 'ENOENT', message: expect.stringContaining('does not exist') },
    })
    expect(await openUploadSource({ path: '/dev/null', name: 'a.jpg' })).toMatchObject({
      error: { kind: 'refused', message: 'a.jpg is not a file.' },
    })
  })

  it('is said to be locked where it may not be read', async () => {
    const path = '/proc/1/environ'
    await asOrdinaryUser(async () =>
      expect(await openUploadSource({ path, name: 'a.jpg' })).toMatchObject({
        error: { code: expect.stringMatching(/^(EACCES|EPERM)$/) },
      }),
    )
  })
})

describe('bytes from elsewhere', () => {
  it('are passed on as they are', async () => {
    const source = await opened({ bytes: given('ab', 'cd'), name: 'a.jpg', size: 4 })
    expect(String(await read(source))).toBe('abcd')
    expect(source.trouble()).toBeUndefined()
  })

  it.each([
    ['fewer', 5],
    ['more', 3],
  ])('that are %s than was said are trouble, and never more than was said', async (_, size) => {
    const source = await opened({ bytes: given('ab', 'cd'), name: 'a.jpg', size })
    expect(await read(source)).toBe('a.jpg changed while it was being read.')
    expect(source.trouble()).toMatchObject({ kind: 'localFile', path: 'a.jpg', code: 'changed' })
  })

  it('whose source is no longer wanted are let go of', async () => {
    let isLetGo = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('ab')
      } finally {
        isLetGo = true
      }
    }
    const source = await opened({ bytes: endless(), name: 'a.jpg', size: 3 })
    await read(source)
    expect(isLetGo).toBe(true)
  })
})

import { execFileSync } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openUploadSource, type OpenedSource } from '../../../src/main/service-api/upload-source.ts'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

async function opened(source: Parameters<typeof openUploadSource>[0]): Promise<OpenedSource> {
  const result = await openUploadSource(source)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** Returns the content, or the error that ended the read. */
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

/** Creates a sparse file of this size. */
async function hollow(name: string, size: number): Promise<string> {
  const path = join(folder, name)
  const file = await open(path, 'w')
  await file.truncate(size)
  await file.close()
  return path
}

describe('an upload source', () => {
  it('may be exactly as large as the upload limit', async () => {
    const source = await opened({ path: await hollow('limit.mp4', MAX_UPLOAD_BYTES) })
    expect([source.name, source.size]).toEqual(['limit.mp4', MAX_UPLOAD_BYTES])
    source.body.destroy()
    await source.close()
    expect(await openUploadSource({ path: await hollow('over.mp4', MAX_UPLOAD_BYTES + 1) })).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('500 MiB') },
    })
  })

  it('is sent under the given name instead of the file’s name', async () => {
    const path = join(folder, 'no-ending')
    await writeFile(path, 'content')
    expect(await openUploadSource({ path })).toMatchObject({ ok: false, error: { kind: 'refused' } })
    const source = await opened({ path, name: 'photo.jpg' })
    expect([source.name, source.size, String(await read(source))]).toEqual(['photo.jpg', 7, 'content'])
    expect(source.trouble()).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')('can’t be a pipe, which would block the upload', async () => {
    const path = join(folder, 'a.jpg')
    execFileSync('mkfifo', [path])
    expect(await openUploadSource({ path })).toMatchObject({
      error: { kind: 'refused', message: 'a.jpg isn’t a file.' },
    })
  })

  it('is reported with the system’s error code if it can’t be read', async () => {
    const path = '/proc/1/environ'
    await asOrdinaryUser(async () =>
      expect(await openUploadSource({ path, name: 'a.jpg' })).toMatchObject({
        error: { code: expect.stringMatching(/^(EACCES|EPERM)$/) },
      }),
    )
  })
})

describe('bytes from another source', () => {
  it.each([
    ['fewer', 5],
    ['more', 3],
  ])('that are %s than announced are an error, and never exceed the announced number', async (_, size) => {
    const source = await opened({ bytes: given('ab', 'cd'), name: 'a.jpg', size })
    expect(await read(source)).toBe('a.jpg changed while it was being read.')
    expect(source.trouble()).toMatchObject({ kind: 'localFile', path: 'a.jpg', code: 'changed' })
  })

  it('are no longer produced once reading has ended', async () => {
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

import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { openUploadStore, UPLOAD_RETENTION_MS } from '../../../src/service/http/upload-store.ts'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const NOW = Date.parse('2026-01-02T00:00:00Z')
const NAME = { original: 'Größe?.png', safe: 'Größe_.png' }

let folder: string
let ids: number
beforeEach(() => {
  folder = join(temporaryFolder(), 'uploads')
  ids = 0
})

const open = ({ free = 1e15, ...limits }: { quota?: number; free?: number; most?: number } = {}) =>
  openUploadStore({
    folder,
    newId: () => `id-${(ids += 1)}`,
    now: () => NOW,
    freeBytes: () => Promise.resolve(free),
    ...limits,
  })
const small = () => Readable.from([Buffer.from('a')])
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('an upload', () => {
  it('is stored under its safe name in a separate folder, accessible only to this user', async () => {
    const store = await open()
    const body = Readable.from([Buffer.from('ab'), Buffer.from('c')])
    const filePath = join(folder, 'id-1', NAME.safe)
    expect(await store.save(NAME, body)).toEqual({ filePath, originalName: NAME.original, size: 3 })
    expect(await readFile(filePath, 'utf8')).toBe('abc')
    expect(await readdir(join(folder, 'id-1'))).toEqual([NAME.safe])
    expect(await Promise.all([folder, dirname(filePath), filePath].map(modeOf))).toEqual([
      0o700, 0o700, 0o600,
    ])
  })

  it('is complete and in order, however many chunks it arrives in', async () => {
    const store = await open()
    const pieces = Array.from({ length: 50 }, (_, index) => Buffer.alloc(100_000, index))
    const { filePath, size } = await store.save(NAME, Readable.from(pieces))
    expect(size).toBe(5_000_000)
    expect((await readFile(filePath)).equals(Buffer.concat(pieces))).toBe(true)
  })

  it('that is empty or too large is refused, and leaves nothing behind', async () => {
    const store = await open()
    await expect(store.save(NAME, Readable.from([]))).rejects.toMatchObject({
      status: 400,
      message: 'The body is empty.',
    })
    // A buffer that uses no memory until it is written to.
    const huge = Buffer.alloc(MAX_UPLOAD_BYTES + 1)
    const body = Readable.from([huge], { objectMode: true })
    await expect(store.save(NAME, body)).rejects.toMatchObject({
      status: 400,
      message: 'The file is larger than 500 MiB.',
    })
    expect(body.destroyed).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })

  it('that is interrupted leaves nothing behind, and the store waits for it', async () => {
    const store = await open()
    const body = new Readable({ read() {} })
    body.push('half')
    const saving = store.save(NAME, body)
    let isStable = false
    const settled = store.settled().then(() => (isStable = true))
    await expect.poll(() => readdir(join(folder, 'id-1')).catch(() => [])).toEqual([`.partial-${OWN_MARK}`])
    expect(isStable).toBe(false)
    body.destroy(new Error('the connection is gone'))
    await expect(saving).rejects.toThrow('the connection is gone')
    await settled
    expect(await readdir(folder)).toEqual([])
  })
})

describe('the space for uploads', () => {
  const MB = 1_000_000
  const noSpace = expect.objectContaining({ status: 500, message: expect.stringContaining('space') })
  const bytes = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(MB)))

  it('is limited for all uploads together, including earlier ones', async () => {
    const store = await open({ quota: 5 * MB })
    await store.save(NAME, bytes(3))
    await expect(store.save(NAME, bytes(3))).rejects.toEqual(noSpace)
    await store.save(NAME, bytes(2))
    expect(await readdir(folder)).toHaveLength(2)
    const again = await open({ quota: 5 * MB })
    await expect(again.save(NAME, bytes(1))).rejects.toEqual(noSpace)
    await rm(join(folder, 'id-1'), { recursive: true })
    await again.sweep(new Set())
    await again.save(NAME, bytes(3))
  })

  it('is checked before a byte is read if the length is known', async () => {
    const store = await open({ quota: 5 * MB })
    const body = bytes(6)
    await expect(store.save(NAME, body, 6 * MB)).rejects.toEqual(noSpace)
    expect(body.readableDidRead).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })

  it('is also limited by the number of uploads, including earlier ones but not failed ones', async () => {
    const tooMany = expect.objectContaining({
      status: 500,
      message: expect.stringContaining('Too many uploads'),
    })
    const store = await open({ most: 2 })
    await store.save(NAME, small())
    await expect(store.save(NAME, Readable.from([]))).rejects.toMatchObject({ status: 400 })
    await store.save(NAME, small())
    await expect(store.save(NAME, small())).rejects.toEqual(tooMany)
    const again = await open({ most: 2 })
    await expect(again.save(NAME, small())).rejects.toEqual(tooMany)
    await rm(join(folder, 'id-1'), { recursive: true })
    await again.sweep(new Set())
    await again.save(NAME, small())
    expect(await readdir(folder)).toHaveLength(2)
  })

  it('never includes the reserve on the disk', async () => {
    const store = await open({ free: 257 * 1024 ** 2 })
    await store.save(NAME, bytes(1))
    await expect(store.save(NAME, Readable.from([Buffer.alloc(2 * MB)]))).rejects.toEqual(noSpace)
    expect(await readdir(folder)).toEqual(['id-1'])
  })
})

describe('at startup', () => {
  it('files that a crash left half-written are removed, and nothing else', async () => {
    await mkdir(join(folder, 'half'), { recursive: true })
    await mkdir(join(folder, 'whole'))
    await writeFile(join(folder, 'half', '.partial'), 'x')
    await writeFile(join(folder, 'whole', 'a.png'), 'x')
    await writeFile(join(folder, 'a file'), 'x')
    await chmod(folder, 0o755)
    await open()
    expect((await readdir(folder)).toSorted()).toEqual(['a file', 'whole'])
    expect(await modeOf(folder)).toBe(0o700)
  })
})

it('uploads that another service is receiving in the same folder are kept; uploads of a killed service are removed', async () => {
  const first = await open()
  const body = new Readable({ read() {} })
  body.push('half')
  const saving = first.save(NAME, body)
  await expect.poll(() => readdir(join(folder, 'id-1')).catch(() => [])).toHaveLength(1)
  for (const [name, pid] of [
    ['of a living one', process.ppid],
    ['of a dead one', 2 ** 30],
  ] as const) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, `.partial-${pid}-0123456789abcdef`), 'x')
  }
  await open()
  expect((await readdir(folder)).toSorted()).toEqual(['id-1', 'of a living one'])
  body.push(null)
  expect(await readFile((await saving).filePath, 'utf8')).toBe('half')
})

it('a folder removed while the service runs is created again', async () => {
  const store = await open()
  await rm(folder, { recursive: true })
  await store.sweep(new Set())
  const { filePath } = await store.save(NAME, Readable.from([Buffer.from('a')]))
  expect(await readFile(filePath, 'utf8')).toBe('a')
  expect(await modeOf(folder)).toBe(0o700)
})

/** Creates an upload that arrived this many ms ago. */
const aged = async (name: string, age: number): Promise<string> => {
  const place = join(folder, name)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'a.png'), 'x')
  const time = new Date(NOW - age)
  await utimes(place, time, time)
  return join(place, 'a.png')
}

describe('the cleanup', () => {
  it('removes uploads after a day, except those that a job needs', async () => {
    const store = await open()
    await aged('young', UPLOAD_RETENTION_MS - 1_000)
    await aged('old', UPLOAD_RETENTION_MS)
    const needed = await aged('needed', 10 * UPLOAD_RETENTION_MS)
    await aged('need', 10 * UPLOAD_RETENTION_MS)
    await store.sweep(new Set([needed, '/elsewhere/old/a.png']))
    expect((await readdir(folder)).toSorted()).toEqual(['needed', 'young'])
    await aged('needed', 10 * UPLOAD_RETENTION_MS)
    await store.sweep(new Set())
    expect(await readdir(folder)).toEqual(['young'])
  })

  it('keeps files needed by a job of another service that uses the same folder', async () => {
    const [store, other] = [await open(), await open()]
    const needed = await aged('needed', 10 * UPLOAD_RETENTION_MS)
    await store.sweep(new Set([needed]))
    await other.sweep(new Set())
    expect(await readdir(folder)).toEqual(['needed'])
  })
})

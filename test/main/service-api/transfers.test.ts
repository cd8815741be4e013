/** Uploads and downloads: constant memory, progress, limits, and files that are either complete or absent. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { httpServer, json, tcpServer } from './scripted-server.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const MIB = 1024 * 1024
let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const quick = { timeouts: { request: 400, idle: 400 } }

async function* zeros(
  size: number,
  onPart: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0;) {
    const part = Buffer.alloc(Math.min(left, 256 * 1024))
    left -= part.length
    onPart(part.length)
    yield part
  }
}

/** A service that answers with the hash of what it received. */
const receiving = (onPart: (request: IncomingMessage) => void = () => {}) =>
  httpServer((request, response) => {
    const hash = createHash('sha256')
    let size = 0
    request.on('data', (part: Buffer) => {
      hash.update(part)
      size += part.length
      onPart(request)
    })
    request.on('end', () =>
      json(response, 200, { filePath: `/uploads/${hash.digest('hex')}`, originalName: 'x.png', size }),
    )
  })

/** Yields small parts over two seconds. */
async function* dripping(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < 20; part++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    yield Buffer.alloc(1_000)
  }
}

describe('an upload', () => {
  test('sends every byte of the file, its name and its length, and reports progress', async () => {
    const bytes = Buffer.from(Array.from({ length: 3 * MIB + 17 }, (_, at) => (at * 7) % 251))
    const path = join(folder, 'Blüte.png')
    await writeFile(path, bytes)
    const server = await receiving()
    const steps: number[] = []
    const uploaded = await server.api.upload(
      { path },
      { onProgress: ({ sent, total }) => steps.push(sent / total) },
    )
    expect(uploaded).toMatchObject({
      ok: true,
      value: { filePath: `/uploads/${digest(bytes)}`, size: bytes.length },
    })
    const [request] = server.seen.requests
    expect(`${request?.method} ${request?.url}`).toBe('POST /api/upload')
    expect(request?.headers).toMatchObject({
      'x-filename': 'Bl%C3%BCte.png',
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
    })
    expect(steps.length).toBeGreaterThan(2)
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(steps.at(-1)).toBe(1)
  })

  itInLongSuite('arrives unchanged even if the service reads unevenly while buffers are reused', async () => {
    const path = join(folder, 'video.mp4')
    const bytes = randomBytes(24 * MIB + 12_345)
    await writeFile(path, bytes)
    let pauses = 0
    const server = await receiving((request) => {
      if (++pauses % 7 !== 0) return
      request.pause()
      setTimeout(() => request.resume(), pauses % 3)
    })
    for (let round = 0; round < 3; round++) {
      expect(await server.api.upload({ path })).toMatchObject({
        ok: true,
        value: { filePath: `/uploads/${digest(bytes)}` },
      })
    }
  })

  test('reads no further ahead than the service accepts', async () => {
    let read = 0
    let arrived = 0
    const server = await httpServer((request) => {
      request.on('readable', () => undefined)
      request.once('readable', () => {
        arrived += request.readableLength
      })
    }, quick)
    const uploaded = await server.api.upload({
      bytes: zeros(400 * MIB, (bytes) => (read += bytes)),
      name: 'large.mp4',
      size: 400 * MIB,
    })
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'noAnswer', reason: 'timeout' } })
    expect(arrived).toBeGreaterThan(0)
    // Only the buffers of loopback, the socket and the stream were filled, not the other 380 MiB.
    expect(read).toBeLessThan(20 * MIB)
  })

  test('may exceed the timeout while data is being transferred', async () => {
    const idle = 1_500
    const server = await httpServer(
      (request, response) => {
        request
          .resume()
          .on('end', () => json(response, 200, { filePath: '/u', originalName: 'x', size: 20_000 }))
      },
      { timeouts: { request: idle, idle } },
    )
    const begun = Date.now()
    const uploaded = await server.api.upload({ bytes: dripping(), name: 'slow.mp4', size: 20_000 })
    expect(uploaded).toMatchObject({ ok: true })
    expect(Date.now() - begun).toBeGreaterThan(idle)
  })

  test.each([
    ['text.txt', 10, 'file type'],
    ['no-extension', 10, 'file type'],
    ['empty.png', 0, 'empty'],
    ['large.mp4', MAX_UPLOAD_BYTES + 1, '500 MiB'],
  ])('%s of %i bytes is refused before anything is read or sent', async (name, size, word) => {
    const server = await receiving()
    const path = join(folder, name)
    await writeFile(path, '')
    await truncate(path, size)
    let read = 0
    for (const source of [{ path }, { bytes: zeros(size, (bytes) => (read += bytes)), name, size }]) {
      const uploaded = await server.api.upload(source)
      expect(uploaded).toMatchObject({
        ok: false,
        error: { kind: 'refused', message: expect.stringContaining(word) },
      })
      expect(uploaded).not.toHaveProperty('error.status')
    }
    expect(read).toBe(0)
    expect(server.seen.connections).toBe(0)
  })

  test('of a missing file, or of a folder, reports the problem', async () => {
    const server = await receiving()
    const path = join(folder, 'gone.png')
    expect(await server.api.upload({ path })).toMatchObject({
      ok: false,
      error: { kind: 'localFile', path, code: 'ENOENT', message: expect.stringContaining('doesn’t exist') },
    })
    for (const notAFile of [folder, '/dev/null']) {
      expect(await server.api.upload({ path: notAFile, name: 'a.png' })).toMatchObject({
        ok: false,
        error: { kind: 'refused', message: 'a.png isn’t a file.' },
      })
    }
  })

  test.each([
    ['shorter', 5 * MIB],
    ['longer', 2 * MIB],
  ])('of content that is %s than announced fails locally', async (_, size) => {
    const server = await receiving()
    const uploaded = await server.api.upload({ bytes: zeros(3 * MIB), name: 'changing.mp4', size })
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'localFile', code: 'changed' } })
  })

  test('whose source fails reports that failure rather than an unresponsive service', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(MIB)
      throw Object.assign(new Error('bad sector'), { code: 'EIO' })
    }
    const server = await receiving()
    const uploaded = await server.api.upload({ bytes: breaking(), name: 'disk.mp4', size: 2 * MIB })
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'localFile', code: 'EIO' } })
  })

  test('can be aborted midway', async () => {
    const stop = new AbortController()
    const server = await receiving()
    const uploaded = await server.api.upload(
      { bytes: zeros(300 * MIB), name: 'large.mp4', size: 300 * MIB },
      { signal: stop.signal, onProgress: ({ sent }) => sent > 5 * MIB && stop.abort() },
    )
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'aborted', maybeReceived: true } })
  })

  test('that the service refuses immediately reports the service’s reason', async () => {
    const server = await httpServer((_, response) => json(response, 401, { error: 'wrong key' }))
    const uploaded = await server.api.upload({ bytes: zeros(40 * MIB), name: 'large.mp4', size: 40 * MIB })
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'unauthorized', message: 'wrong key' } })
  })

  test('whose connection is closed reports that there was no response', async () => {
    const server = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const uploaded = await server.api.upload({ bytes: zeros(40 * MIB), name: 'large.mp4', size: 40 * MIB })
    expect(uploaded).toMatchObject({ ok: false, error: { kind: 'noAnswer' } })
  })

  test('is rejected if the service received a different number of bytes', async () => {
    const server = await httpServer((request, response) => {
      request.resume().on('end', () => json(response, 200, { filePath: '/u', originalName: 'x', size: 1 }))
    })
    const uploaded = await server.api.upload({ bytes: zeros(MIB), name: 'a.png', size: MIB })
    expect(uploaded).toMatchObject({
      ok: false,
      error: { kind: 'badResponse', route: 'POST /upload', field: 'size' },
    })
  })
})

describe('a download', () => {
  const bytes = Buffer.from(Array.from({ length: 2 * MIB + 5 }, (_, at) => (at * 11) % 251))
  const sending = () =>
    httpServer((_, response) =>
      response
        .writeHead(200, {
          'content-length': bytes.length,
          'content-disposition': 'attachment; filename="photo-web.jpg"',
        })
        .end(bytes),
    )

  test('is complete, uses the service’s suggested name, and requests the given output', async () => {
    const server = await sending()
    const seen: number[] = []
    const saved = await server.api.download('job-1', {
      index: 2,
      to: { folder },
      onProgress: ({ received, total }) => seen.push(received / (total ?? 1)),
    })
    expect(saved).toEqual({ ok: true, value: { path: join(folder, 'photo-web.jpg'), bytes: bytes.length } })
    expect(digest(await readFile(join(folder, 'photo-web.jpg')))).toBe(digest(bytes))
    expect(server.seen.requests[0]?.url).toBe('/api/download/job-1?index=2')
    expect(seen.at(-1)).toBe(1)
    expect(await readdir(folder)).toEqual(['photo-web.jpg'])
  })

  test('to a folder uses the next unused name', async () => {
    const server = await sending()
    const { api } = server
    await writeFile(join(folder, 'photo-web.jpg'), 'mine')
    const saved = await Promise.all([1, 2, 3].map(() => api.download('job-1', { to: { folder } })))
    expect(saved.map((result) => (result.ok ? result.value.path : '')).toSorted()).toEqual(
      ['photo-web (2).jpg', 'photo-web (3).jpg', 'photo-web (4).jpg'].map((name) => join(folder, name)),
    )
    expect(await readFile(join(folder, 'photo-web.jpg'), 'utf8')).toBe('mine')
    expect(await readdir(folder)).toHaveLength(4)
  })

  test('to a folder gets the extension that matches its content, regardless of the suggested name', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
    const server = await httpServer((_, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment; filename="photo.exe"' }).end(png),
    )
    await server.api.download('job-1', { to: { folder } })
    expect(await readdir(folder)).toEqual(['photo.png'])
  })

  test('doesn’t overwrite an existing file', async () => {
    const server = await sending()
    const file = join(folder, 'mine.jpg')
    await writeFile(file, 'mine')
    expect(await server.api.download('job-1', { to: { file } })).toMatchObject({
      ok: false,
      error: { kind: 'localFile', path: file, code: 'EEXIST' },
    })
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(await readdir(folder)).toEqual(['mine.jpg'])
  })

  test('to an invalid name reports the problem, and leaves nothing behind', async () => {
    const server = await sending()
    const file = join(folder, `${'x'.repeat(300)}.jpg`)
    expect(await server.api.download('job-1', { to: { file } })).toMatchObject({
      ok: false,
      error: { kind: 'localFile', path: file, code: 'ENAMETOOLONG' },
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('to a missing folder reports the problem', async () => {
    const server = await sending()
    const missing = join(folder, 'missing')
    expect(await server.api.download('job-1', { to: { folder: missing } })).toMatchObject({
      ok: false,
      error: {
        kind: 'localFile',
        path: missing,
        code: 'ENOENT',
        message: `Couldn’t write ${missing}: it doesn’t exist.`,
      },
    })
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await server.api.download('job-1', { to: { file: join(file, 'a.jpg') } })).toMatchObject({
      error: { path: file, message: `Couldn’t write ${file}: it isn’t a folder.` },
    })
  })

  test.each<[string, number, string]>([
    ['before completion', 400, 'conflict'],
    ['of an unknown output', 404, 'notFound'],
  ])('%s leaves nothing behind', async (_, status, kind) => {
    const server = await httpServer((_, response) => json(response, status, { error: 'words' }))
    expect(await server.api.download('job-1', { to: { folder } })).toEqual({
      ok: false,
      error: { kind, message: 'words' },
    })
    expect(await readdir(folder)).toEqual([])
  })

  test.each([
    ['broken off', (response: ServerResponse) => response.destroy(), {}],
    ['stuck', () => undefined, quick],
  ])('that is %s halfway leaves nothing behind', async (_, then, limits) => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, MIB), () => setTimeout(() => then(response), 30))
    }, limits)
    expect(await server.api.download('job-1', { to: { folder } })).toMatchObject({
      ok: false,
      error: { kind: 'noAnswer' },
    })
    expect(await readdir(folder)).toEqual([])
  })

  itInLongSuite.runIf(process.platform === 'linux' && process.getuid?.() === 0).each([
    ['without an end', {}],
    ['that announces more than fits', { 'content-length': 200 * MIB }],
  ])('%s stops before the disk is full, and leaves nothing behind', async (_, headers) => {
    const target = join(folder, 'disk')
    const disk = smallDisk(target, '100m')
    onTestFinished(() => disk?.[Symbol.dispose]())
    const server = await httpServer((_, response) => {
      response.writeHead(200, headers)
      const send = () => {
        while (!response.destroyed && response.write(bytes));
      }
      response.on('drain', send)
      send()
    })
    let most = 0
    const saved = await server.api.download('job-1', {
      to: { folder: target },
      onProgress: ({ received }) => (most = received),
    })
    expect(saved).toMatchObject({
      ok: false,
      error: { kind: 'localFile', code: 'ENOSPC', message: expect.stringContaining('the disk is full') },
    })
    expect(most).toBeLessThanOrEqual(90 * MIB)
    expect(await readdir(target)).toEqual([])
  })

  test('that is aborted halfway leaves nothing behind', async () => {
    const stop = new AbortController()
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, MIB))
    })
    const saved = await server.api.download('job-1', {
      to: { folder },
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(saved).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    expect(await readdir(folder)).toEqual([])
  })
})

/** Answers with one space after another, without end. */
const drippingAnswer = (status: number) =>
  httpServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status)
      const drops = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drops))
    })
  }, quick)

describe('an answer in JSON to a transfer has one time limit, however steadily its bytes arrive', () => {
  test('after an upload', async () => {
    const server = await drippingAnswer(200)
    expect(await server.api.upload({ bytes: zeros(10), name: 'x.png', size: 10 })).toMatchObject({
      ok: false,
      error: { kind: 'noAnswer', reason: 'timeout' },
    })
  })

  test('instead of a download', async () => {
    const server = await drippingAnswer(404)
    expect(await server.api.download('job-1', { to: { folder } })).toMatchObject({
      ok: false,
      error: { kind: 'notFound' },
    })
  })
})

import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/shared/api/limits.ts'
import { Upload } from '../../src/shared/api/resources.ts'
import { SUPPORTED_EXTENSIONS } from '../../src/shared/media-types.ts'
import { authorized, bodyOf, rawRequest, statusOf } from './raw-request.ts'
import { errorOf, type RunningService, startService } from './running-service.ts'
import { itInLongSuite } from '../faults/long-suite.ts'
import { imageBytes } from './sample-files.ts'

let service: RunningService
let photo: Buffer
let uploads: string
beforeAll(async () => {
  service = await startService()
  photo = await imageBytes('jpeg')
  uploads = join(service.folder, 'data', 'uploads')
})
afterAll(() => service.stop())

const head = (lengthHeader: string) =>
  `${authorized(service.port, 'POST /api/upload')}Content-Type: application/octet-stream\r\nX-Filename: a.mp4\r\n${lengthHeader}\r\n\r\n`

/** Builds an upload without a Content-Length, so that the service has to count its bytes. */
function uploadOf(size: number): RequestInit & { duplex: 'half' } {
  const piece = new Uint8Array(4 * 1024 * 1024)
  let left = size
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = piece.subarray(0, Math.min(left, piece.length))
      left -= next.length
      controller.enqueue(next)
      if (left === 0) controller.close()
    },
  })
  return {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-filename': 'large.mp4' },
    body,
    duplex: 'half',
  }
}

/** Returns the uploads that are new. Those of earlier tests may still be removed. */
async function added(before: ReadonlySet<string>): Promise<readonly string[]> {
  return (await readdir(uploads)).filter((name) => !before.has(name))
}

describe('section 4: POST /upload', () => {
  it.each(SUPPORTED_EXTENSIONS)('accepts a file name ending in .%s, in any case', async (extension) => {
    expect((await service.upload(`a.${extension}`, photo)).status).toBe(200)
    expect((await service.upload(`a.${extension.toUpperCase()}`, photo)).status).toBe(200)
  })

  it.each(['a.gif', 'a', '.jpg', 'jpg', 'a.jpg.exe', 'a.jpg/', '%00'])(
    'rejects the file name %s',
    async (name) => {
      expect(await errorOf(await service.upload(name, photo))).toMatchObject({ status: 400 })
    },
  )

  it.each(['multipart/form-data; boundary=x', 'application/json', 'image/jpeg', 'text/plain', ';'])(
    'requires raw bytes as the body, not %s',
    async (type) => {
      const response = await service.upload('a.jpg', photo, { 'content-type': type })
      expect(await errorOf(response)).toMatchObject({ status: 400 })
    },
  )

  it('requires a size of at least 1: an empty body is refused', async () => {
    const before = await readdir(uploads)
    expect(await errorOf(await service.upload('a.jpg', new Uint8Array()))).toMatchObject({ status: 400 })
    expect(await readdir(uploads)).toEqual(before)
  })

  it('returns names outside Latin-1 that were sent percent-encoded or as UTF-8', async () => {
    const name = 'Blüte 花 🌸.jpeg'
    const encoded = Upload.parse(await (await service.upload(encodeURIComponent(name), photo)).json())
    const utf8 = Upload.parse(
      await (await service.upload(Buffer.from(name).toString('latin1'), photo)).json(),
    )
    expect([encoded.originalName, utf8.originalName]).toEqual([name, name])
    expect(basename(encoded.filePath)).toBe(name)
  })

  it('stores two uploads with the same name as two files', async () => {
    const [one, two] = await Promise.all([
      service.uploaded('same.jpg', photo),
      service.uploaded('same.jpg', photo),
    ])
    expect(one.filePath).not.toBe(two.filePath)
    expect([basename(one.filePath), basename(two.filePath)]).toEqual(['same.jpg', 'same.jpg'])
  })

  it('keeps uploads private from other users of the computer', async () => {
    const { filePath } = await service.uploaded('private.jpg', photo)
    for (const folder of [uploads, dirname(filePath)]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
    }
  })
})

describe('section 8: 500 MiB', () => {
  it('refuses an announced length that is one byte too large before any of the body is sent', async () => {
    const answer = await rawRequest(service.port, head(`Content-Length: ${MAX_UPLOAD_BYTES + 1}`))
    expect(statusOf(answer)).toBe(400)
    expect(bodyOf(answer)).toContain('500 MiB')
  })

  it('answers Expect: 100-continue only if the announced length is allowed', async () => {
    const tooLarge = head(`Expect: 100-continue\r\nContent-Length: ${MAX_UPLOAD_BYTES + 1}`)
    expect(await rawRequest(service.port, tooLarge)).not.toContain('100 Continue')
    const good = head('Expect: 100-continue\r\nContent-Length: 3')
    const toldToGoOn = await rawRequest(service.port, good, { until: (text) => text.endsWith('\r\n\r\n') })
    expect(toldToGoOn).toContain('100 Continue')
  })

  itInLongSuite(
    'accepts exactly 500 MiB, and refuses one byte more without leaving anything behind',
    async () => {
      const exact = await service.call('/upload', uploadOf(MAX_UPLOAD_BYTES))
      const upload = Upload.parse(await exact.json())
      expect(upload.size).toBe(MAX_UPLOAD_BYTES)
      const before = new Set(await readdir(uploads))
      const over = await service.call('/upload', uploadOf(MAX_UPLOAD_BYTES + 1)).then(
        (response) => response.status,
        () => 'closed',
      )
      // Section 7: the connection may close before the error arrives.
      expect([400, 'closed']).toContain(over)
      await expect.poll(() => added(before)).toEqual([])
    },
  )

  it('an interrupted upload leaves nothing behind', async () => {
    const before = new Set(await readdir(uploads))
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    socket.write(head('Content-Length: 1000000') + 'x'.repeat(5_000))
    await expect.poll(() => added(before)).toHaveLength(1)
    socket.destroy()
    await expect.poll(() => added(before)).toEqual([])
  })
})

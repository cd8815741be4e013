/** Requirements that `check-service` can't check at every service, and that tests without HTTP can't prove. */
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../src/shared/api/limits.ts'
import { ApiError, CancelledJob, Upload } from '../../src/shared/api/resources.ts'
import { itInLongSuite } from '../faults/long-suite.ts'
import { authorized, bodyOf, rawRequest, statusOf } from './raw-request.ts'
import { API_KEY, errorOf, type RunningService, startService } from './running-service.ts'
import { imageBytes, writeImage } from './sample-files.ts'

let service: RunningService
let photo: string
let out: string
beforeAll(async () => {
  service = await startService()
  out = join(service.folder, 'out')
  photo = await writeImage(join(service.folder, 'in', 'photo.jpg'))
})
afterAll(() => service.stop())

const expectError = async (response: Response, status: number) =>
  expect(await errorOf(response)).toMatchObject({ status })
const expectErrorText = (answer: string, status: number) => {
  expect(statusOf(answer)).toBe(status)
  expect(ApiError.safeParse(JSON.parse(bodyOf(answer))).success).toBe(true)
}

it.each([
  ['GET', '/no-such-route'],
  ['PUT', '/health'],
  ['POST', '/jobs'],
  ['GET', `/jobs?key=${API_KEY}&api_key=${API_KEY}`],
])(
  'a request without the key is refused before its route and body are checked: %s %s',
  async (method, path) => {
    const request = method === 'POST' ? { method: 'POST', body: 'not json' } : { method }
    await expectError(await fetch(`${service.baseUrl}${path}`, request), 401)
  },
)

it('the client of a large upload with a wrong key can read the 401', async () => {
  const headers = {
    authorization: 'Bearer wrong',
    'x-filename': 'a.jpg',
    'content-type': 'application/octet-stream',
  }
  const body = new Uint8Array(20_000_000)
  await expectError(await fetch(`${service.baseUrl}/upload`, { method: 'POST', headers, body }), 401)
})

it.each(['Host: evil.example:PORT', 'X-No-Host: 1', 'Host: localhost:PORT\r\nOrigin: https://evil.example'])(
  'a request that may come from a web page is refused: %j',
  async (headers) => {
    const named = headers.replace('PORT', String(service.port))
    const answer = await rawRequest(
      service.port,
      `GET /api/health HTTP/1.1\r\n${named}\r\nConnection: close\r\n\r\n`,
    )
    expectErrorText(answer, 403)
  },
)

it('web pages may not read responses', async () => {
  const response = await service.call('/jobs', { method: 'OPTIONS' })
  expect(response.status).toBe(404)
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

it.each([
  ['PATCH', '/jobs'],
  ['HEAD', '/health'],
  ['POST', '/health'],
  ['GET', '/upload'],
  ['GET', '/jobs/'],
  ['GET', '/jobs/%ff'],
  ['GET', `/jobs/${'x'.repeat(5_000)}`],
  ['DELETE', '/jobs/not%20an%20id'],
])('an unsupported route or ID gives 404: %s %s', async (method, path) => {
  // Some clients send a content type without a body.
  const response = await service.call(path, { method, headers: { 'content-type': 'application/json' } })
  expect(response.status).toBe(404)
  if (method !== 'HEAD') await errorOf(response)
})

it('malformed HTTP and large headers receive an Error body, too', async () => {
  expectErrorText(await rawRequest(service.port, 'HELLO\r\n\r\n'), 400)
  const large = `GET /api/health HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`
  expectErrorText(await rawRequest(service.port, large), 431)
})

it.each([
  ...['null', '"text"', '{"files":"x"}', '\ufeff', '{}{}'].map((body) => [body, {}] as const),
  ...[{ batchCount: null }, { batchCount: 1e300 }, { preset: '' }, { preset: 'web 720P' }].map(
    (more) => [undefined, more] as const,
  ),
])('POST /jobs refuses %j, and a job with %j', async (body, more) => {
  const job = JSON.stringify({ filePath: photo, outputFolder: out, ...more })
  await expectError(await service.post(body ?? job), 400)
})

it.each(['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x', 'nonsense'])(
  'POST /jobs requires JSON, not %s',
  async (type) => {
    const body = JSON.stringify({ filePath: photo, outputFolder: out })
    await expectError(await service.post(body, type), 400)
  },
)

it.each(['multipart/form-data; boundary=x', 'application/json', 'image/jpeg', 'text/plain', ';'])(
  'POST /upload requires bytes, not %s',
  async (type) => {
    await expectError(await service.upload('a.jpg', Buffer.from('x'), { 'content-type': type }), 400)
  },
)

it('POST /jobs accepts 65536 bytes with a charset, and refuses one more, announced or not', async () => {
  const frame = JSON.stringify({ filePath: photo, outputFolder: out, pad: '' })
  const bodyOfSize = (size: number) => frame.replace('"pad":""', `"pad":"${'x'.repeat(size - frame.length)}"`)
  const whole = await service.post(bodyOfSize(MAX_JSON_BYTES), 'application/json; charset=utf-8')
  expect(whole.status).toBe(202)
  const over = bodyOfSize(MAX_JSON_BYTES + 1)
  for (const body of [over, new Blob([over]).stream()]) {
    const refused = await errorOf(await service.post(body))
    expect(refused).toMatchObject({ status: 400, error: 'The body is larger than 64 KiB.' })
  }
})

it('the name of an upload may be percent-encoded or UTF-8', async () => {
  const name = 'Blüte 花 🌸.jpeg'
  const bytes = await imageBytes('jpeg')
  for (const sent of [encodeURIComponent(name), Buffer.from(name).toString('latin1')]) {
    const { originalName, filePath } = Upload.parse(await (await service.upload(sent, bytes)).json())
    expect([originalName, basename(filePath)]).toEqual([name, name])
  }
})

const head = (lengthHeader: string) =>
  `${authorized(service.port, 'POST /api/upload')}Content-Type: application/octet-stream\r\nX-Filename: a.mp4\r\n${lengthHeader}\r\n\r\n`

it('an upload with too large a length is refused before any of the body is sent', async () => {
  const answer = await rawRequest(service.port, head(`Content-Length: ${MAX_UPLOAD_BYTES + 1}`))
  expect(statusOf(answer)).toBe(400)
  expect(bodyOf(answer)).toContain('500 MiB')
  const tooLarge = head(`Expect: 100-continue\r\nContent-Length: ${MAX_UPLOAD_BYTES + 1}`)
  expect(await rawRequest(service.port, tooLarge)).not.toContain('100 Continue')
  const good = head('Expect: 100-continue\r\nContent-Length: 3')
  const answered = await rawRequest(service.port, good, { until: (text) => text.endsWith('\r\n\r\n') })
  expect(answered).toContain('100 Continue')
})

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
  const headers = { 'content-type': 'application/octet-stream', 'x-filename': 'large.mp4' }
  return { method: 'POST', headers, body, duplex: 'half' }
}

itInLongSuite('exactly 500 MiB are accepted, and one byte more leaves nothing behind', async () => {
  const uploads = join(service.folder, 'data', 'uploads')
  const exact = await service.call('/upload', uploadOf(MAX_UPLOAD_BYTES))
  expect(Upload.parse(await exact.json()).size).toBe(MAX_UPLOAD_BYTES)
  const before = new Set(await readdir(uploads))
  const over = await service.call('/upload', uploadOf(MAX_UPLOAD_BYTES + 1)).then(
    (response) => response.status,
    () => 'closed',
  )
  // The connection may close before the error arrives.
  expect([400, 'closed']).toContain(over)
  await expect.poll(async () => (await readdir(uploads)).filter((name) => !before.has(name))).toEqual([])
})

it('a canceled job starts none of its later files and keeps its results, even once it is cleared', async () => {
  const outputFolder = join(service.folder, 'many')
  const { jobId } = await service.accept({ filePath: photo, outputFolder, batchCount: 50_000 })
  while (((await service.job(jobId)).results?.length ?? 0) === 0) await sleep(10)
  const canceled = await service.cancel(jobId)
  expect(CancelledJob.parse(await canceled.json())).toEqual({ jobId, status: 'cancelled' })
  await service.idle()
  const job = await service.job(jobId)
  expect(job.status).toBe('cancelled')
  expect(job.completedAt).not.toBeNull()
  expect(job.progress.totalProgress).toBeLessThan(100)
  await service.call('/jobs', { method: 'DELETE' })
  const files = (await readdir(outputFolder)).toSorted()
  expect(files).toEqual(job.results?.map(({ outputPath }) => basename(outputPath)).toSorted())
  await rm(outputFolder, { recursive: true })
})

import * as fc from 'fast-check'
import { mkdir, readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, Upload } from '../../src/shared/api/resources.ts'
import { isLongSuite } from '../faults/long-suite.ts'
import { authorized, bodyOf, rawRequest, statusOf } from './raw-request.ts'
import { API_KEY, type RunningService, startService } from './running-service.ts'
import { imageBytes, writeImage } from './sample-files.ts'

let service: RunningService
let photo: string
let bytes: Buffer
beforeAll(async () => {
  service = await startService()
  bytes = await imageBytes('png', { width: 2, height: 2 })
  photo = await writeImage(join(service.folder, 'in', 'photo.jpg'))
  await mkdir(join(service.folder, 'out'))
})
afterEach(async () => {
  expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  expect(service.stderr()).not.toContain(API_KEY)
})
afterAll(() => service.stop())

/** The statuses of section 7, and those for an unknown host name and malformed HTTP. */
const KNOWN_STATUSES = [200, 202, 400, 401, 403, 404, 408, 412, 429, 431]

/** `npm test` plays a tenth of the rounds. */
const runs = (rounds: number) => ({
  numRuns: isLongSuite ? rounds : Math.ceil(rounds / 10),
  seed: 20_261_120,
})

async function expectDecent(response: Response): Promise<void> {
  const text = await response.text()
  expect(KNOWN_STATUSES).toContain(response.status)
  expect(text).not.toContain(API_KEY)
  if (response.status >= 400) expect(ApiError.safeParse(JSON.parse(text)).success).toBe(true)
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '../../etc/passwd',
    '..\\..\\x.jpg',
    'C:\\x.jpg',
    '/dev/zero',
    '/proc/self/mem',
    'a\0.jpg',
    '\ud800',
  ),
)

/** A job request. It never names an existing folder outside the test's own, because the service would write there. */
const hostileRequest = fc.record(
  {
    filePath: fc.oneof(hostileText, fc.jsonValue()),
    files: fc.oneof(fc.array(hostileText, { maxLength: 20 }), fc.jsonValue()),
    driveInputFolder: fc.option(hostileText),
    outputFolder: fc.oneof(fc.constantFrom('out', '', '\0', '/dev/null/x'), fc.jsonValue()),
    driveOutputFolder: fc.option(hostileText),
    preset: fc.oneof(fc.constantFrom('Thumbnail', '__proto__', 'constructor', '../x'), fc.jsonValue()),
    batchCount: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
  },
  { requiredKeys: [] },
)

describe('hostile input', () => {
  it('as any JSON value receives a proper response', async () => {
    const body = fc.oneof(
      fc.json(),
      hostileRequest.map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        await expectDecent(await service.post(text))
      }),
      runs(200),
    )
  })

  it('as random bytes instead of JSON receives a proper response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (noise) => {
        await expectDecent(await service.post(new Uint8Array(noise)))
      }),
      runs(100),
    )
  })

  it('as the name of an upload is refused or stored below the uploads folder, and creates nothing else', async () => {
    const extension = fc.constantFrom('.jpg', '.PNG', '.mp4', '.txt', '')
    const name = fc.tuple(hostileText, extension).map(([text, end]) => text + end)
    const before = await readdir(service.folder)
    const home = join(service.folder, 'data', 'uploads') + sep
    await fc.assert(
      fc.asyncProperty(name, fc.boolean(), async (text, encode) => {
        const header = encode ? encodeURIComponent(text.toWellFormed()) : headerText(text)
        const response = await service.upload(header, bytes)
        if (response.status === 200) {
          const { filePath } = Upload.parse(await response.json())
          const below = filePath.slice(home.length).split(sep)
          expect(filePath.startsWith(home)).toBe(true)
          expect(below).toHaveLength(2)
          expect(below.every((part) => part !== '..' && part !== '.')).toBe(true)
        } else {
          await expectDecent(response)
        }
      }),
      runs(200),
    )
    expect(await readdir(service.folder)).toEqual(before)
  })

  it('as the ID of a job or a download receives a proper response', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.constantFrom('jobs', 'download'), async (text, route) => {
        await expectDecent(await service.call(`/${route}/${encodeURIComponent(text.toWellFormed())}`))
      }),
      runs(100),
    )
  })

  it('as a preset name never reaches a file', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (preset) => {
        const response = await service.submit({
          filePath: photo,
          outputFolder: join(service.folder, 'out'),
          preset,
        })
        expect(response.status).toBe(400)
        await expectDecent(response)
      }),
      runs(50),
    )
    expect(await readdir(join(service.folder, 'out'))).toEqual([])
  })

  it('as a header of an authenticated request receives a proper response', async () => {
    const value = fc.string({ unit: 'binary', maxLength: 200 }).map(headerText)
    const name = fc.constantFrom(
      'X-Filename',
      'Content-Type',
      'Content-Length',
      'Transfer-Encoding',
      'Expect',
      'Origin',
      'Accept',
      'Range',
      'Upgrade',
    )
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'TRACE')
    const path = fc.constantFrom(
      '/api/jobs',
      '/api/upload',
      '/api/health',
      '/api/download/x',
      '*',
      '//',
      '/api/../..',
    )
    await fc.assert(
      fc.asyncProperty(method, path, name, value, async (verb, target, header, text) => {
        const answer = await rawRequest(
          service.port,
          `${authorized(service.port, `${verb} ${target}`)}${header}: ${text}\r\nConnection: close\r\n\r\n`,
          { patience: 200 },
        )
        expectDecentAnswer(answer)
      }),
      runs(100),
    )
  })

  it('as malformed HTTP receives a proper response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (noise) => {
        expectDecentAnswer(await rawRequest(service.port, noise, { patience: 100 }))
      }),
      runs(50),
    )
  })

  it('in the form of too many concurrent uploads is rejected only beyond the limit', async () => {
    const headers =
      authorized(service.port, 'POST /api/upload') +
      'Content-Type: application/octet-stream\r\nX-Filename: a.jpg\r\nContent-Length: 100\r\n\r\n'
    const enough = new AbortController()
    const rejected: string[] = []
    const answers = Array.from({ length: 100 }, async () => {
      const answer = await rawRequest(service.port, headers, { stop: enough.signal })
      if (answer !== '') rejected.push(answer)
      return answer
    })
    await expect.poll(() => rejected.length).toBe(36)
    // Once one more has been rejected, the service has read all others.
    expect(statusOf(await rawRequest(service.port, headers))).toBe(500)
    enough.abort()
    expect((await Promise.all(answers)).filter((answer) => answer === '')).toHaveLength(64)
    expect(rejected.map(statusOf)).toEqual(Array.from({ length: 36 }, () => 500))
    await expect.poll(async () => (await service.upload('a.png', bytes)).status).toBe(200)
  })

  it('that fails after its response gets no second response', async () => {
    const answer = await rawRequest(
      service.port,
      authorized(service.port, 'TRACE /api/jobs') + 'Transfer-Encoding: nonsense\r\n\r\n',
      // Reads until the connection closes.
      { until: () => false },
    )
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  it.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['an endless chunk size', `Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['a folded header', 'X-Filename: a\r\n b.jpg\r\n\r\n'],
  ])('that two programs could interpret differently is rejected: %s', async (_what, rest) => {
    const answer = await rawRequest(
      service.port,
      authorized(service.port, 'POST /api/upload') + `Content-Type: application/octet-stream\r\n${rest}`,
    )
    expect(statusOf(answer)).toBe(400)
    expectDecentAnswer(answer)
  })
})

function expectDecentAnswer(answer: string): void {
  expect(answer).not.toContain(API_KEY)
  // Closing the connection or waiting for the rest of the request is valid too.
  if (answer === '' || answer.startsWith('HTTP/1.1 100')) return
  expect(KNOWN_STATUSES).toContain(statusOf(answer))
  if (statusOf(answer) >= 400) expect(ApiError.safeParse(JSON.parse(bodyOf(answer))).success).toBe(true)
}

/** Returns the text's UTF-8 bytes as Latin-1 characters, without control characters, which a header can't carry. */
const headerText = (text: string): string =>
  [...Buffer.from(text.toWellFormed(), 'utf8')]
    .filter((byte) => byte >= 0x20 && byte !== 0x7f)
    .map((byte) => String.fromCharCode(byte))
    .join('')

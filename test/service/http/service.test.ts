/** What depends on time, in the service with a clock of the test's own. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CLEANUP_INTERVAL_MS, RETENTION_MS } from '../../../src/shared/api/limits.ts'
import { AcceptedJob, Upload } from '../../../src/shared/api/resources.ts'
import { type Timeouts } from '../../../src/service/http/index.ts'
import { UPLOAD_RETENTION_MS } from '../../../src/service/http/upload-store.ts'
import { DEFAULT_TIMEOUTS } from '../../../src/service/http/server.ts'
import { createService, type Service } from '../../../src/service/service.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { rawRequest, statusOf } from '../../conformance/raw-request.ts'
import { unconfiguredDrive } from '../drive/unconfigured-drive.ts'
import { scriptedProcessing } from '../queue/scripted-processing.ts'

const KEY = 'the-key'
let dataDir: string
let service: Service | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mediatray-http-'))
})
afterEach(async () => {
  await service?.close()
  await rm(dataDir, { recursive: true })
})

async function serve(timeouts: Partial<Timeouts> = {}, refresh = () => Promise.resolve()) {
  const clock = { time: Date.now(), intervals: new Map<number, () => void>() }
  const processing = scriptedProcessing(1)
  let names = 0
  service = await createService({
    dataDir,
    apiKey: KEY,
    processing,
    temporaryFiles: { nameIn: () => Promise.resolve(`.hidden-${++names}`), close: () => Promise.resolve() },
    presets: {
      list: () => ({ image: [], video: [] }),
      find: () => undefined,
      refresh,
    },
    drive: unconfiguredDrive,
    log: () => {},
    clock: {
      now: () => clock.time,
      every(intervalMs, action) {
        clock.intervals.set(intervalMs, action)
        return () => clock.intervals.delete(intervalMs)
      },
    },
    timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
  })
  const { baseUrl } = await service.listen({ port: 0 })
  const call = (
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ) => fetch(`${baseUrl}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${KEY}` } })
  const upload = async (): Promise<Upload> => {
    const response = await call('/upload', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-filename': 'a.png' },
      body: new Uint8Array(await imageBytes('png')),
    })
    return Upload.parse(await response.json())
  }
  const submit = async (filePath: string): Promise<AcceptedJob> => {
    const response = await call('/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ filePath, outputFolder: join(dataDir, 'out') }),
    })
    return AcceptedJob.parse(await response.json())
  }
  return { clock, processing, call, upload, submit, port: Number(new URL(baseUrl).port) }
}

const uploadsLeft = async () => (await readdir(join(dataDir, 'uploads'))).length

it('cleans up every ten minutes: jobs that ended an hour ago are unknown from then on', async () => {
  const { clock, processing, call, upload, submit } = await serve()
  const { jobId } = await submit((await upload()).filePath)
  while (processing.running.length === 0) await sleep(1)
  processing.running[0]?.succeed()
  const statusOfJob = async () => (await call(`/jobs/${jobId}`)).status
  while (!(await (await call(`/jobs/${jobId}`)).text()).includes('"completed"')) await sleep(1)

  expect([...clock.intervals.keys()]).toEqual([CLEANUP_INTERVAL_MS])
  clock.time += RETENTION_MS - CLEANUP_INTERVAL_MS
  clock.intervals.get(CLEANUP_INTERVAL_MS)?.()
  expect(await statusOfJob()).toBe(200)
  clock.time += CLEANUP_INTERVAL_MS
  clock.intervals.get(CLEANUP_INTERVAL_MS)?.()
  expect(await statusOfJob()).toBe(404)
})

it('removes uploads after a day, except those that a job in progress needs', async () => {
  const { clock, upload, submit } = await serve()
  const kept = await upload()
  await upload()
  await submit(kept.filePath)
  clock.time += UPLOAD_RETENTION_MS + 60_000
  clock.intervals.get(CLEANUP_INTERVAL_MS)?.()
  while ((await uploadsLeft()) !== 1) await sleep(5)
  expect(await readdir(dirname(kept.filePath))).toEqual(['a.png'])
})

it('removes at the start what a crash has left of an upload, and what is too old', async () => {
  const half = join(dataDir, 'uploads', 'half')
  const old = join(dataDir, 'uploads', 'old')
  for (const folder of [half, old]) await mkdir(folder, { recursive: true })
  await writeFile(join(half, '.partial'), 'x')
  await writeFile(join(old, 'a.png'), 'x')
  const longAgo = new Date(Date.now() - UPLOAD_RETENTION_MS - 60_000)
  await utimes(old, longAgo, longAgo)
  await serve()
  while ((await uploadsLeft()) !== 0) await sleep(5)
})

const head = (port: number, length: number) =>
  `POST /api/upload HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${KEY}\r\n` +
  `Content-Type: application/octet-stream\r\nX-Filename: a.png\r\nContent-Length: ${length}\r\n\r\n`

it('an upload that stalls is closed, and nothing of it stays', async () => {
  const { port } = await serve({ stalled: 100 })
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(head(port, 1_000) + 'abc')
  await closed
  while ((await uploadsLeft()) !== 0) await sleep(5)
})

it('a client that never ends its headers is told so and closed', async () => {
  const { port } = await serve({ headers: 100 })
  const answer = await rawRequest(port, 'GET /api/health HTTP/1.1\r\nHost: loc')
  expect(statusOf(answer)).toBe(408)
  expect(answer).toContain('The request did not arrive in time')
})

it('a body that never ends is closed', async () => {
  const { port } = await serve({ body: 100 })
  const answer = await rawRequest(
    port,
    `POST /api/jobs HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${KEY}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  expect(answer).toBe('')
})

it('closing does not wait for clients that keep their connection', async () => {
  const { port } = await serve()
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(head(port, 1_000))
  while ((await uploadsLeft()) !== 1) await sleep(5)
  await service?.close()
  service = undefined
  await closed
  expect(await uploadsLeft()).toBe(0)
})

const errorOf = async (answer: Promise<Response>) => {
  const response = await answer
  const { error } = (await response.json()) as { error: string }
  return [response.status, error]
}

it('says which field of a request is wrong, and that a number was given twice', async () => {
  const { call, upload, submit } = await serve()
  const body = JSON.stringify({ files: ['/a.png', 3], outputFolder: '/out' })
  const headers = { 'content-type': 'application/json' }
  expect(await errorOf(call('/jobs', { method: 'POST', headers, body }))).toEqual([
    400,
    expect.stringContaining('The request is not valid. files.1: '),
  ])
  expect(await errorOf(call('/jobs', { method: 'POST', headers, body: '[]' }))).toEqual([
    400,
    expect.stringContaining('The request is not valid. body: '),
  ])
  expect(await errorOf(call('/jobs', { method: 'POST', headers, body: '{' }))).toEqual([
    400,
    'The body is not valid JSON',
  ])
  const { jobId } = await submit((await upload()).filePath)
  expect(await errorOf(call(`/download/${jobId}?index=0&index=1`))).toEqual([400, 'index must be given once'])
})

it('says which type of body a route takes', async () => {
  const { call } = await serve()
  const refusal = (path: string, type: string) =>
    errorOf(call(path, { method: 'POST', headers: { 'content-type': type }, body: 'x' }))
  expect(await refusal('/jobs', 'text/plain')).toEqual([
    400,
    'The body must be JSON with the content type application/json',
  ])
  expect(await refusal('/upload', 'application/json')).toEqual([
    400,
    'The body must be raw bytes with the content type application/octet-stream',
  ])
})

it('gives the list of jobs as it is, however often it is asked for', async () => {
  const { call, upload, submit } = await serve()
  const list = async () => (await call('/jobs')).text()
  const empty = JSON.stringify({ jobs: [], queueLength: 0, processing: false })
  expect([await list(), await list()]).toEqual([empty, empty])
  const { jobId } = await submit((await upload()).filePath)
  expect([await list(), await list()]).toEqual([
    expect.stringContaining(jobId),
    expect.stringContaining(jobId),
  ])
})

it('takes an upload that is larger than any other body may be', async () => {
  const { call } = await serve()
  const image = await imageBytes('png')
  const response = await call('/upload', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-filename': 'a.png' },
    body: new Uint8Array(Buffer.concat([image, Buffer.alloc(100_000)])),
  })
  expect(Upload.parse(await response.json()).size).toBe(image.length + 100_000)
})

it.each([
  ['breaks the connection', (socket: Socket) => socket.destroy()],
  ['was killed, which only ends its side', (socket: Socket) => socket.end()],
])('a client that %s while its request is checked gets no job', async (_what, leave) => {
  const checking = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<void>()
  const { call, upload, submit, port } = await serve({}, () => {
    checking.resolve()
    return checked.promise
  })
  const { filePath } = await upload()
  const body = JSON.stringify({ filePath, outputFolder: join(dataDir, 'out') })
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.write(
    `POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await checking.promise
  leave(socket)
  // By the time that others are answered, the service has seen it.
  for (let round = 0; round < 3; round++) await (await call('/health')).text()
  checked.resolve()
  // By the time that two others were checked after it, so was the first.
  const others = [await submit(filePath), await submit(filePath)].map(({ jobId }) => ({ jobId }))
  const list: unknown = await (await call('/jobs')).json()
  expect(list).toEqual(
    expect.objectContaining({ jobs: others.toReversed().map((job) => expect.objectContaining(job)) }),
  )
})

/** Time-dependent behavior of the service, with a clock that the test controls. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
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
import { temporaryFolder } from '../../temporary-folder.ts'

const KEY = 'the-key'
let dataDir: string
let service: Service | undefined
beforeEach(() => {
  dataDir = temporaryFolder()
})
afterEach(() => service?.close())

async function serve(timeouts: Partial<Timeouts> = {}, refresh = () => Promise.resolve()) {
  const clock = { time: Date.now(), intervals: new Map<number, () => void>() }
  const processing = scriptedProcessing(1)
  let names = 0
  service = await createService({
    dataDir,
    apiKey: KEY,
    processing,
    temporaryFiles: {
      nameIn: () => Promise.resolve(`.hidden-${++names}`),
      noteReservation: () => Promise.resolve(),
      sweep: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    presets: {
      list: () => ({ image: [], video: [] }),
      find: () => undefined,
      findAs: async () => undefined,
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
  const post = (path: string, type: string, body: BodyInit) =>
    call(path, { method: 'POST', headers: { 'content-type': type, 'x-filename': 'a.png' }, body })
  const upload = async (more = 0): Promise<Upload> => {
    const body = new Uint8Array(Buffer.concat([await imageBytes('png'), Buffer.alloc(more)]))
    return Upload.parse(await (await post('/upload', 'application/octet-stream', body)).json())
  }
  const submit = async (filePath: string): Promise<AcceptedJob> => {
    const body = JSON.stringify({ filePath, outputFolder: join(dataDir, 'out') })
    return AcceptedJob.parse(await (await post('/jobs', 'application/json', body)).json())
  }
  return { clock, processing, call, post, upload, submit, port: Number(new URL(baseUrl).port) }
}

const uploadsLeft = async () => (await readdir(join(dataDir, 'uploads'))).length

it('cleans up every ten minutes: jobs that ended an hour ago become unknown', async () => {
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

it('removes interrupted and expired uploads at startup', async () => {
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

/** The start of a request whose body never arrives as a whole. */
const head = (port: number, route: string, type: string, length: number) =>
  `POST /api/${route} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${KEY}\r\n` +
  `Content-Type: ${type}\r\nX-Filename: a.png\r\nContent-Length: ${length}\r\n\r\n`
const uploadHead = (port: number) => head(port, 'upload', 'application/octet-stream', 1_000)

function send(port: number, text: string) {
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(text)
  return { socket, closed }
}

it('closes an upload that stalls, and deletes its partial file', async () => {
  const { port } = await serve({ stalled: 100 })
  await send(port, `${uploadHead(port)}abc`).closed
  while ((await uploadsLeft()) !== 0) await sleep(5)
})

it('responds to a client that never ends its headers, and closes the connection', async () => {
  const { port } = await serve({ headers: 100 })
  const answer = await rawRequest(port, 'GET /api/health HTTP/1.1\r\nHost: loc')
  expect(statusOf(answer)).toBe(408)
  expect(answer).toContain('arrive in time.')
})

it('closes the connection of a body that never ends', async () => {
  const { port } = await serve({ body: 100 })
  expect(await rawRequest(port, `${head(port, 'jobs', 'application/json', 100)}{`)).toBe('')
})

it('doesn’t wait for an unfinished upload when it closes', async () => {
  const { port } = await serve()
  const { closed } = send(port, uploadHead(port))
  while ((await uploadsLeft()) !== 1) await sleep(5)
  await service?.close()
  service = undefined
  await closed
  expect(await uploadsLeft()).toBe(0)
})

const refusalOf = async (answer: Promise<Response>) => {
  const response = await answer
  const { error } = (await response.json()) as { error: string }
  return `${response.status} ${error}`
}

it('names the invalid field of a request, and a number that was given twice', async () => {
  const { call, post, upload, submit } = await serve()
  const refusal = (body: string) => refusalOf(post('/jobs', 'application/json', body))
  const files = JSON.stringify({ files: ['/a.png', 3], outputFolder: '/out' })
  expect(await refusal(files)).toContain('400 The request is invalid: “files.1: ')
  expect(await refusal('[]')).toContain('400 The request is invalid: “body: ')
  expect(await refusal('{')).toBe('400 The body isn’t valid JSON.')
  const { jobId } = await submit((await upload()).filePath)
  const twice = call(`/download/${jobId}?index=0&index=1`)
  expect(await refusalOf(twice)).toBe('400 index must be an integer of at least 0, given once.')
})

it('names the body type that a route accepts', async () => {
  const { post } = await serve()
  expect(await refusalOf(post('/jobs', 'text/plain', 'x'))).toBe(
    '400 The body must be JSON with the content type application/json.',
  )
  expect(await refusalOf(post('/upload', 'application/json', 'x'))).toBe(
    '400 The body must be raw bytes with the content type application/octet-stream.',
  )
})

it('returns the current job list, however often it is requested', async () => {
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

it('accepts an upload that is larger than any other body may be', async () => {
  const { upload } = await serve()
  expect((await upload(100_000)).size).toBe((await imageBytes('png')).length + 100_000)
})

it.each([
  ['breaks the connection', (socket: Socket) => socket.destroy()],
  ['was killed, which only ends its side', (socket: Socket) => socket.end()],
])('creates no job for a client that %s while its request is checked', async (_what, leave) => {
  const checking = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<void>()
  const { call, upload, submit, port } = await serve({}, () => {
    checking.resolve()
    return checked.promise
  })
  const { filePath } = await upload()
  const body = JSON.stringify({ filePath, outputFolder: join(dataDir, 'out') })
  const { socket } = send(port, head(port, 'jobs', 'application/json', body.length) + body)
  await checking.promise
  leave(socket)
  // Once the service has responded to other requests, it has noticed that this client left.
  for (let round = 0; round < 3; round++) await (await call('/health')).text()
  checked.resolve()
  // Once the service has checked two later requests, it has also checked the first.
  const others = [await submit(filePath), await submit(filePath)].map(({ jobId }) => ({ jobId }))
  const list: unknown = await (await call('/jobs')).json()
  expect(list).toEqual(
    expect.objectContaining({ jobs: others.toReversed().map((job) => expect.objectContaining(job)) }),
  )
})

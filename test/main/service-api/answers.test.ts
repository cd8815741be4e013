/** Tests the meaning of every status and every form of response over real HTTP. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ServiceApi } from '../../../src/main/service-api/index.ts'
import { errorOf, httpServer, json, KEY, tcpServer } from './scripted-server.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const JOB = {
  jobId: 'job-1',
  status: 'queued',
  type: 'single',
  preset: 'Web',
  progress: {},
  createdAt: 'now',
  startedAt: null,
  completedAt: null,
}
const ACCEPTED = {
  jobId: 'job-1',
  status: 'queued',
  inputFiles: 1,
  batchCount: 1,
  totalOperations: 1,
  skipped: [{ file: '/b.txt', error: 'not a photo' }],
  position: 0,
  drive: null,
}

const ROUTES: ReadonlyArray<
  [name: string, path: string, call: (api: ServiceApi) => Promise<unknown>, good: unknown]
> = [
  ['GET /health', '/api/health', (api) => api.health(), { status: 'ok', version: '1.0.81', activeJobs: 0 }],
  ['GET /presets', '/api/presets', (api) => api.presets(), { image: ['Web'], video: [] }],
  [
    'GET /drive/status',
    '/api/drive/status',
    (api) => api.driveStatus(),
    { clientConfigured: false, connected: false, email: null, scope: null },
  ],
  ['POST /jobs', '/api/jobs', (api) => api.createJob({ filePath: '/a.jpg', outputFolder: '/out' }), ACCEPTED],
  [
    'GET /jobs',
    '/api/jobs',
    (api) => api.jobs(),
    { jobs: [JOB], queueLength: 1, processing: false, unreadable: [] },
  ],
  ['DELETE /jobs', '/api/jobs', (api) => api.clearJobs(), { cleared: 3 }],
  ['GET /jobs/{jobId}', '/api/jobs/job-1', (api) => api.job('job-1'), JOB],
  [
    'DELETE /jobs/{jobId}',
    '/api/jobs/job-1',
    (api) => api.cancelJob('job-1'),
    { jobId: 'job-1', status: 'cancelled' },
  ],
]

const listOf = (jobs: number, name = 'a') => ({
  jobs: Array.from({ length: jobs }, () => ({ ...JOB, fileName: name })),
  queueLength: 1,
  processing: false,
})

describe('a job in the list', () => {
  test('is the same object until its text changes', async () => {
    const bodies = [listOf(2), listOf(2), listOf(2, 'b'), 'broken', listOf(2, 'b')]
    let responses = 0
    const { api } = await httpServer((_, response) => json(response, 200, bodies[responses++]))
    const jobs: unknown[] = []
    for (const body of bodies) {
      const answer = await api.jobs()
      jobs.push(answer.ok ? answer.value.jobs[1] : 'failed')
      if (body !== 'broken')
        expect(answer).toEqual({ ok: true, value: { ...(body as object), unreadable: [] } })
    }
    const isSame = jobs.map((job, index) => index > 0 && job === jobs[index - 1])
    expect(isSame).toEqual([false, true, false, false, false])
    expect(jobs[3]).toBe('failed')
  })

  test('is parsed again if the list is too large to keep', async () => {
    const { api } = await httpServer((_, response) => json(response, 200, listOf(2, 'x'.repeat(600_000))))
    const [first, second] = [await api.jobs(), await api.jobs()]
    expect(second).toEqual(first)
    expect(first.ok && second.ok && second.value.jobs[0] === first.value.jobs[0]).toBe(false)
  })
})

describe.each(ROUTES)('%s', (route, path, call, good) => {
  test('is requested once, at its path, with the key (except health), and its response is parsed', async () => {
    const server = await httpServer((_, response) =>
      json(response, 200, { ...(good as object), unheardOf: 1 }),
    )
    expect(await call(server.api)).toEqual({ ok: true, value: good })
    expect(server.seen.requests).toHaveLength(1)
    const [request] = server.seen.requests
    expect(`${request?.method} ${request?.url}`).toBe(`${route.split(' ')[0]} ${path}`)
    expect(request?.headers.authorization).toBe(route === 'GET /health' ? undefined : `Bearer ${KEY}`)
  })

  test.each([
    [401, { kind: 'unauthorized', reason: 'rejected', message: 'words' }],
    [404, { kind: 'notFound', message: 'words' }],
    [412, { kind: 'driveNotReady', message: 'words' }],
    [413, { kind: 'refused', status: 413, skipped: [], message: 'words' }],
    [429, { kind: 'queueFull', message: 'words' }],
    [500, { kind: 'serverError', status: 500, message: 'words' }],
    [503, { kind: 'serverError', status: 503, message: 'words' }],
  ])('answered %i means %j', async (status, error) => {
    const server = await httpServer((_, response) => json(response, status, { error: 'words' }))
    expect(await call(server.api)).toEqual({ ok: false, error })
    expect(server.seen.requests).toHaveLength(1)
  })

  test('reports a 400 as a problem with the job’s state or with the request', async () => {
    const skipped = [{ file: '/x', error: 'why' }]
    const server = await httpServer((_, response) => json(response, 400, { error: 'words', skipped }))
    expect(await call(server.api)).toEqual({
      ok: false,
      error:
        route === 'DELETE /jobs/{jobId}'
          ? { kind: 'conflict', message: 'words' }
          : { kind: 'refused', status: 400, skipped, message: 'words' },
    })
  })

  test('does not follow a redirect', async () => {
    const server = await httpServer((_, response) =>
      response.writeHead(307, { location: '/api/elsewhere' }).end(),
    )
    expect(await errorOf(call(server.api))).toMatchObject({ kind: 'badResponse', route, field: 'status' })
    expect(server.seen.requests).toHaveLength(1)
  })

  test.each(['', 'null', '[]', '"words"', '<html>not a service</html>', '{"jobs": [', '\u0000'])(
    'answered %j is a bad response that names the route',
    async (body) => {
      const server = await httpServer((_, response) => response.writeHead(200).end(body))
      expect(await errorOf(call(server.api))).toMatchObject({ kind: 'badResponse', route })
    },
  )

  test('answered with truncated JSON is reported as a bad response', async () => {
    const server = await httpServer((_, response) => response.writeHead(200).end('{"jobs": ['))
    expect(await call(server.api)).toMatchObject({
      error: { field: 'body', message: expect.stringContaining('it is not valid JSON') },
    })
  })

  test('refused with a reason reports that reason, unless it is excessively long', async () => {
    let error = 'x'.repeat(100_000)
    const server = await httpServer((_, response) => json(response, 500, { error }))
    expect(await call(server.api)).toMatchObject({ error: { message: error } })
    error = 'x'.repeat(300_000)
    expect(await call(server.api)).toMatchObject({
      error: { kind: 'serverError', message: expect.stringContaining('internal error (500)') },
    })
  })

  test('answered with an HTML error page keeps the meaning of its status', async () => {
    const server = await httpServer((_, response) => response.writeHead(502).end('<html>proxy</html>'))
    expect(await errorOf(call(server.api))).toMatchObject({ kind: 'serverError', status: 502 })
  })

  const keyless = route === 'GET /health'

  test.each(keyless ? [] : [undefined, ''])('without a key (%j) sends nothing', async (key) => {
    const server = await httpServer((_, response) => json(response, 200, good), { key: () => key })
    expect(await errorOf(call(server.api))).toMatchObject({ kind: 'unauthorized', reason: 'noKey' })
    expect(server.seen.connections).toBe(0)
  })

  test.each(keyless ? [] : ['with space', 'line\r\nbreak: x', 'schlüssel', '\u0000', '🔑'])(
    'with the key %j, which no header can hold, sends nothing and doesn’t reveal the key',
    async (key) => {
      const server = await httpServer((_, response) => json(response, 200, good), { key: () => key })
      const result = await call(server.api)
      expect(result).toMatchObject({ ok: false, error: { kind: 'unauthorized', reason: 'unusableKey' } })
      expect(JSON.stringify(result)).not.toContain(JSON.stringify(key).slice(1, -1))
      expect(server.seen.connections).toBe(0)
    },
  )
})

describe('a wrong field', () => {
  test.each([
    [{ jobs: [], queueLength: '0', processing: false }, 'queueLength'],
    [{ jobs: {}, queueLength: 0, processing: false }, 'jobs'],
    [{ jobs: [], queueLength: 0 }, 'processing'],
  ])('%j is named: %s', async (body, field) => {
    const server = await httpServer((_, response) => json(response, 200, body))
    expect(await errorOf(server.api.jobs())).toMatchObject({ kind: 'badResponse', route: 'GET /jobs', field })
  })
})

test.each([
  ['with an unknown status', { ...JOB, jobId: 'job-2', status: 'sleeping' }, 'job-2'],
  ['without a preset', { ...JOB, jobId: 'job-2', preset: null }, 'job-2'],
  ['whose id could be a path', { ...JOB, jobId: '../../x' }, ''],
])('lists all jobs except one %s, which is reported by name', async (_, bad, named) => {
  const body = { jobs: [JOB, bad], queueLength: 1, processing: false }
  const server = await httpServer((_request, response) => json(response, 200, body))
  expect(await server.api.jobs()).toEqual({
    ok: true,
    value: {
      jobs: [JOB],
      queueLength: 1,
      processing: false,
      unreadable: [{ jobId: named, field: expect.stringMatching(/^(?:status|preset|jobId)$/) }],
    },
  })
})

itInLongSuite('an endless response is cut off at a size limit', async () => {
  let written = 0
  let closed = false
  const server = await httpServer((_, response) => {
    response.writeHead(200)
    response.on('close', () => (closed = true))
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(256 * 1024, ' '))) written += 256 * 1024
    }
    response.on('drain', more)
    more()
  })
  expect(await errorOf(server.api.jobs())).toMatchObject({
    kind: 'badResponse',
    route: 'GET /jobs',
    field: 'body',
  })
  await expect.poll(() => closed).toBe(true)
  expect(written).toBeLessThan(64 * 1024 * 1024)
})

/** Each route's answer with one element too many. Parsing these answers would take far more time and memory than reading them. */
const BOMBS: ReadonlyArray<
  [route: string, at: string, call: (api: ServiceApi) => Promise<unknown>, body: string]
> = [
  ['GET /health', 'body', (api) => api.health(), `[${'[],'.repeat(2_000)}[]]`],
  ['GET /presets', 'body', (api) => api.presets(), `{"image":[${'[],'.repeat(100_000)}[]],"video":[]}`],
  ['GET /drive/status', 'body', (api) => api.driveStatus(), `{"email":[${'{},'.repeat(2_000)}{}]}`],
  [
    'GET /jobs',
    'jobs',
    (api) => api.jobs(),
    `{"jobs":[${'[],'.repeat(500)}[]],"queueLength":0,"processing":false}`,
  ],
  [
    'GET /jobs',
    'body',
    (api) => api.jobs(),
    `{"jobs":[{"results":[${'[],'.repeat(500_000)}[]]}],"queueLength":0}`,
  ],
  ['GET /jobs/{jobId}', 'body', (api) => api.job('job-1'), `{"errors":[${'{},'.repeat(500_000)}{}]}`],
  [
    'POST /jobs',
    'body',
    (api) => api.createJob({ filePath: '/a.jpg', outputFolder: '/out' }),
    `{"skipped":[${'[],'.repeat(100_000)}[]]}`,
  ],
  ['DELETE /jobs', 'body', (api) => api.clearJobs(), `{"cleared":${'['.repeat(100)}${']'.repeat(100)}}`],
  ['DELETE /jobs/{jobId}', 'body', (api) => api.cancelJob('job-1'), ' '.repeat(64 * 1024 + 1)],
]

test.each(BOMBS)(
  '%s with too many values is refused at “%s” before they are checked',
  async (route, field, call, body) => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const answer = await call(server.api)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'badResponse', route, field } })
    expect(JSON.stringify(answer)).toMatch(/too (?:many|long|big|deep)/i)
  },
)

test('an error with too many values keeps its status, without its text', async () => {
  const server = await httpServer((_, response) => {
    response.writeHead(400).end(`{"error":"words","skipped":[${'[],'.repeat(30_000)}[]]}`)
  })
  expect(await errorOf(server.api.presets())).toMatchObject({ kind: 'refused', status: 400, skipped: [] })
  expect(JSON.stringify(await server.api.presets())).not.toContain('words')
})

test('an answer that arrives byte by byte takes up no more memory than its bytes', async () => {
  const server = await tcpServer((socket) => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const body = JSON.stringify({ image: ['Web'], video: [] })
    socket.end(head + body.replaceAll(/./g, '1\r\n$&\r\n') + '0\r\n\r\n')
  })
  expect(await server.api.presets()).toEqual({ ok: true, value: { image: ['Web'], video: [] } })
})

test('a compressed answer isn’t unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '))
  const server = await httpServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  expect(await errorOf(server.api.health())).toMatchObject({ kind: 'badResponse', field: 'body' })
})

test.each(['../jobs', 'a/b', '', 'a?b', 'ä', '%2e'])(
  '%j is not a job id, so nothing is requested',
  async (id) => {
    const server = await httpServer((_, response) => json(response, 200, JOB))
    expect(await errorOf(server.api.job(id))).toMatchObject({ kind: 'notFound' })
    expect(await errorOf(server.api.cancelJob(id))).toMatchObject({ kind: 'notFound' })
    expect(await errorOf(server.api.download(id, { to: { folder: '/nowhere' } }))).toMatchObject({
      kind: 'notFound',
    })
    expect(server.seen.connections).toBe(0)
  },
)

test('every request uses the URL prefix and the current key', async () => {
  let key = 'first'
  const server = await httpServer((_, response) => json(response, 200, { cleared: 0 }), {
    prefix: '/deep/er',
    key: () => key,
  })
  await server.api.clearJobs()
  key = 'second'
  await server.api.clearJobs()
  expect(server.seen.requests.map((request) => [request.url, request.headers.authorization])).toEqual([
    ['/deep/er/jobs', 'Bearer first'],
    ['/deep/er/jobs', 'Bearer second'],
  ])
})

test('jobs are listed over keep-alive connections, and each is created over a new connection', async () => {
  const server = await httpServer((request, response) =>
    json(
      response,
      200,
      request.method === 'GET' ? { jobs: [], queueLength: 0, processing: false } : ACCEPTED,
    ),
  )
  for (let time = 0; time < 20; time++) await server.api.jobs()
  const kept = server.seen.connections
  expect(kept).toBeLessThanOrEqual(2)
  for (let time = 0; time < 3; time++) await server.api.createJob({ filePath: '/a.jpg', outputFolder: '/o' })
  expect(server.seen.connections).toBe(kept + 3)
})

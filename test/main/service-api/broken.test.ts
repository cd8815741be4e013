/** Breaks exchanges at every stage, to tell requests that were never sent from those that may have arrived. */
import type { Socket } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServiceApi, type ServiceApi, type Timeouts } from '../../../src/main/service-api/index.ts'
import { errorOf, baseUrlOf, freePort, KEY, tcpServer } from './scripted-server.ts'

const apiAt = (address: string, timeouts?: Timeouts): ServiceApi => {
  const api = createServiceApi({
    baseUrl: baseUrlOf(address),
    key: () => KEY,
    ...(timeouts === undefined ? {} : { timeouts }),
  })
  onTestFinished(() => api.close())
  return api
}

/** Short timeouts, only for tests that wait for a timeout. */
const quick = { timeouts: { request: 400, idle: 400 } }
const create = (api: ServiceApi, signal?: AbortSignal) =>
  api.createJob({ filePath: '/a.jpg', outputFolder: '/o' }, signal ? { signal } : {})

describe('a client that was replaced by a new one', () => {
  test.each([
    ['refused its key', '401 Unauthorized'],
    ['accepted too many', '429 Too Many Requests'],
  ])('doesn’t report that its former service %s', async (_, status) => {
    const headSent = Promise.withResolvers<void>()
    const server = await tcpServer((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 1000\r\n\r\n{`, () => headSent.resolve())
      }),
    )
    const api = apiAt(`http://127.0.0.1:${server.port}/api`)
    const asked = [api.jobs(), create(api)]
    await headSent.promise
    // The client reads the response headers in one of the next ticks.
    for (let turn = 0; turn < 20; turn++) await nextTick()
    await api.close()
    for (const answer of await Promise.all(asked)) {
      expect(answer).toMatchObject({ ok: false, error: { kind: 'noAnswer' } })
    }
  })
})

describe('counts as never sent:', () => {
  test('a refused connection', async () => {
    const api = apiAt(`http://127.0.0.1:${await freePort()}/api`)
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable', reason: 'ECONNREFUSED' })
    expect(await errorOf(api.jobs())).toMatchObject({ kind: 'notReachable', reason: 'ECONNREFUSED' })
  })

  test('a name that does not exist', async () => {
    const api = apiAt('https://no-such-computer.invalid:1/api')
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable' })
  })

  test('a TLS handshake with a server that doesn’t support TLS', async () => {
    const server = await tcpServer((socket) => socket.end('plain\r\n\r\n'))
    const api = apiAt(`https://127.0.0.1:${server.port}/api`)
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable' })
  })

  test('a TLS handshake that doesn’t end before the timeout', async () => {
    const server = await tcpServer(() => undefined)
    const api = apiAt(`https://127.0.0.1:${server.port}/api`, quick.timeouts)
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable' })
  })

  test('a request that was aborted before it started', async () => {
    const server = await tcpServer(() => undefined)
    expect(await errorOf(create(server.api, AbortSignal.abort()))).toMatchObject({
      kind: 'aborted',
      maybeReceived: false,
    })
    expect(server.seen.connections).toBe(0)
  })

  test('a request that was aborted while connecting', async () => {
    const server = await tcpServer(() => undefined)
    const api = apiAt(`https://127.0.0.1:${server.port}/api`)
    const stop = new AbortController()
    const creating = create(api, stop.signal)
    setTimeout(() => stop.abort(), 50)
    expect(await errorOf(creating)).toMatchObject({ kind: 'aborted', maybeReceived: false })
  })

  test('a request after the client was closed', async () => {
    const api = apiAt(`http://127.0.0.1:${await freePort()}/api`)
    await api.close()
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable' })
  })

  test('a request after the client was closed, even if the service is available and was used before', async () => {
    const server = await tcpServer((socket) => socket.end())
    const api = apiAt(`http://127.0.0.1:${server.port}/api`)
    await api.jobs()
    await api.close()
    const connections = server.seen.connections
    expect(await errorOf(create(api))).toMatchObject({ kind: 'notReachable' })
    expect(server.seen.connections).toBe(connections)
  })
})

const HEAD = 'HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\n'

test('a connection that is reset immediately counts as never sent only if nothing was sent', async () => {
  for (let round = 0; round < 30; round++) {
    let received = 0
    const scripted = await tcpServer((socket) => {
      socket.on('data', (data) => {
        received += data.length
      })
      if (round % 2 === 0) socket.resetAndDestroy()
      else setImmediate(() => socket.resetAndDestroy())
    })
    const created = await create(scripted.api)
    expect(created).toMatchObject({
      ok: false,
      error: { kind: expect.stringMatching(/^(notReachable|noAnswer)$/) },
    })
    if (received > 0) expect(created).toMatchObject({ error: { kind: 'noAnswer' } })
  }
})

async function expectNoAnswer(script: (scripted: Socket) => void, limits = {}): Promise<void> {
  const server = await tcpServer(script, limits)
  const created = await create(server.api)
  expect(created).toMatchObject({ ok: false, error: { kind: 'noAnswer' } })
  expect(JSON.stringify(created)).not.toContain(KEY)
  expect(server.seen.connections).toBe(1)
}

describe('counts as possibly received:', () => {
  test.each<[string, (scripted: Socket) => void]>([
    ['closed right after connecting', (socket) => socket.end()],
    ['reset when the request has arrived', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['closed when the request has arrived', (socket) => socket.once('data', () => socket.end())],
    ['closed after half a status line', (socket) => socket.once('data', () => socket.end('HTTP/1.1 20'))],
    ['closed after half the headers', (socket) => socket.once('data', () => socket.end(`${HEAD}content-le`))],
    [
      'closed after the headers',
      (socket) => socket.once('data', () => socket.end(`${HEAD}content-length: 50\r\n\r\n`)),
    ],
    [
      'reset in the body',
      (socket) =>
        socket.once('data', () =>
          socket.write(`${HEAD}content-length: 50\r\n\r\n{"job`, () =>
            setTimeout(() => socket.resetAndDestroy(), 20),
          ),
        ),
    ],
    [
      'closed in a chunked body',
      (socket) =>
        socket.once('data', () => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"job`)),
    ],
    [
      'answered with invalid HTTP',
      (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
    ],
  ])('%s', (_, script) => expectNoAnswer(script))

  test.each<[string, (scripted: Socket) => void]>([
    ['never answered', (socket) => socket.resume()],
    [
      'never answered completely',
      (socket) => socket.once('data', () => socket.write(`${HEAD}content-length: 50\r\n\r\n{"job`)),
    ],
  ])('%s, after the timeout', (_, script) => expectNoAnswer(script, quick))

  test('a request that was aborted while waiting for the response', async () => {
    const stop = new AbortController()
    const server = await tcpServer((socket) => socket.once('data', () => stop.abort()))
    expect(await errorOf(create(server.api, stop.signal))).toMatchObject({
      kind: 'aborted',
      maybeReceived: true,
    })
  })

  test('a request that was aborted in the middle of the response', async () => {
    const stop = new AbortController()
    const server = await tcpServer((socket) =>
      socket.once('data', () =>
        socket.write(`${HEAD}content-length: 50\r\n\r\n{"job`, () => setTimeout(() => stop.abort(), 20)),
      ),
    )
    expect(await errorOf(create(server.api, stop.signal))).toMatchObject({
      kind: 'aborted',
      maybeReceived: true,
    })
  })

  test('a request whose response trickles beyond the total timeout', async () => {
    const server = await tcpServer(
      (socket) =>
        socket.once('data', () => {
          socket.write(`${HEAD}content-length: 5000\r\n\r\n`)
          const dripping = setInterval(() => socket.write(' '), 40)
          socket.on('close', () => clearInterval(dripping))
        }),
      quick,
    )
    expect(await errorOf(create(server.api))).toMatchObject({ kind: 'noAnswer', reason: 'timeout' })
  })
})

test('a keep-alive connection that the service has closed doesn’t make a new job uncertain', async () => {
  const accepted = JSON.stringify({
    jobId: 'j',
    status: 'queued',
    inputFiles: 1,
    batchCount: 1,
    totalOperations: 1,
    skipped: [],
    position: 0,
    drive: null,
  })
  const list = JSON.stringify({ jobs: [], queueLength: 0, processing: false })
  let posts = 0
  const server = await tcpServer((socket) =>
    socket.on('data', (data) => {
      const isPost = data.toString('latin1').startsWith('POST')
      if (isPost) posts++
      const body = isPost ? accepted : list
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      // Closes without a `Connection: close` header.
      setImmediate(() => socket.destroy())
    }),
  )
  for (let round = 0; round < 20; round++) {
    await server.api.jobs()
    expect(await create(server.api)).toMatchObject({ ok: true })
  }
  expect(posts).toBe(20)
})

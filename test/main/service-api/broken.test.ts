/** Every moment at which an exchange can break: what was never sent is kept apart from what may have arrived. */
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createServiceApi, type ServiceApi, type Timeouts } from '../../../src/main/service-api/index.ts'
import { baseUrlOf, freePort, KEY, tcpServer, type Scripted } from './scripted-server.ts'

let server: Scripted | undefined
const apis: ServiceApi[] = []
afterEach(async () => {
  await server?.close()
  server = undefined
  for (const api of apis.splice(0)) await api.close()
})

const apiAt = (address: string, timeouts?: Timeouts): ServiceApi => {
  const api = createServiceApi({
    baseUrl: baseUrlOf(address),
    key: () => KEY,
    ...(timeouts === undefined ? {} : { timeouts }),
  })
  apis.push(api)
  return api
}

/** Where the end of the time is what it is about; elsewhere nothing ends by the clock. */
const quick = { timeouts: { request: 400, idle: 400 } }
const create = (api: ServiceApi, signal?: AbortSignal) =>
  api.createJob({ filePath: '/a.jpg', outputFolder: '/o' }, signal ? { signal } : {})

describe('a client that was given up for another', () => {
  test.each([
    ['refused its key', '401 Unauthorized'],
    ['took too many', '429 Too Many Requests'],
  ])('does not tell that the service %s: that is nothing about the next one', async (_, status) => {
    const headSent = Promise.withResolvers<void>()
    server = await tcpServer((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 1000\r\n\r\n{`, () => headSent.resolve())
      }),
    )
    const api = apiAt(`http://127.0.0.1:${server.port}/api`)
    const asked = [api.jobs(), create(api)]
    await headSent.promise
    // The client reads the head in one of the next turns.
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    await api.close()
    for (const answer of await Promise.all(asked)) {
      expect(answer).toMatchObject({ ok: false, error: { kind: 'noAnswer' } })
    }
  })
})

describe('never sent', () => {
  test('a refused connection', async () => {
    const api = apiAt(`http://127.0.0.1:${await freePort()}/api`)
    expect(await create(api)).toMatchObject({
      ok: false,
      error: { kind: 'notReachable', reason: 'ECONNREFUSED' },
    })
    expect(await api.jobs()).toMatchObject({
      ok: false,
      error: { kind: 'notReachable', reason: 'ECONNREFUSED' },
    })
  })

  test('a name that does not exist', async () => {
    const api = apiAt('https://no-such-computer.invalid:1/api')
    expect(await create(api)).toMatchObject({ ok: false, error: { kind: 'notReachable' } })
  })

  test('a TLS handshake with something that does not speak it', async () => {
    server = await tcpServer((socket) => socket.end('plain\r\n\r\n'))
    const api = apiAt(`https://127.0.0.1:${server.port}/api`)
    expect(await create(api)).toMatchObject({ ok: false, error: { kind: 'notReachable' } })
  })

  test('a TLS handshake that never ends, once the time is up', async () => {
    server = await tcpServer(() => undefined)
    const api = apiAt(`https://127.0.0.1:${server.port}/api`, quick.timeouts)
    expect(await create(api)).toMatchObject({ ok: false, error: { kind: 'notReachable' } })
  })

  test('given up before it began', async () => {
    server = await tcpServer(() => undefined)
    expect(await create(server.api, AbortSignal.abort())).toMatchObject({
      ok: false,
      error: { kind: 'aborted', maybeReceived: false },
    })
    expect(server.seen.connections).toBe(0)
  })

  test('given up while connecting', async () => {
    server = await tcpServer(() => undefined)
    const api = apiAt(`https://127.0.0.1:${server.port}/api`)
    const stop = new AbortController()
    const creating = create(api, stop.signal)
    setTimeout(() => stop.abort(), 50)
    expect(await creating).toMatchObject({ ok: false, error: { kind: 'aborted', maybeReceived: false } })
  })

  test('after the connection was closed here', async () => {
    const api = apiAt(`http://127.0.0.1:${await freePort()}/api`)
    await api.close()
    expect(await create(api)).toMatchObject({ ok: false, error: { kind: 'notReachable' } })
  })

  test('after it was closed here, also by a request of another kind, though the service is there', async () => {
    const { port, ...rest } = await tcpServer((socket) => socket.end())
    server = { port, ...rest }
    const api = apiAt(`http://127.0.0.1:${port}/api`)
    await api.jobs()
    await api.close()
    const connections = server.seen.connections
    expect(await create(api)).toMatchObject({ ok: false, error: { kind: 'notReachable' } })
    expect(server.seen.connections).toBe(connections)
  })
})

const HEAD = 'HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\n'

test('a connection that is reset at once is only called never sent where nothing was sent', async () => {
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
    await scripted.close()
  }
})

async function expectNoAnswer(script: (scripted: Socket) => void, limits = {}): Promise<void> {
  server = await tcpServer(script, limits)
  const created = await create(server.api)
  expect(created).toMatchObject({ ok: false, error: { kind: 'noAnswer' } })
  expect(JSON.stringify(created)).not.toContain(KEY)
  expect(server.seen.connections).toBe(1)
}

describe('sent, and perhaps received', () => {
  test.each<[string, (scripted: Socket) => void]>([
    ['closed as soon as it is connected', (socket) => socket.end()],
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
      'answered with something that is not HTTP',
      (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
    ],
  ])('%s', (_, script) => expectNoAnswer(script))

  test.each<[string, (scripted: Socket) => void]>([
    ['never answered', (socket) => socket.resume()],
    [
      'never answered to the end',
      (socket) => socket.once('data', () => socket.write(`${HEAD}content-length: 50\r\n\r\n{"job`)),
    ],
  ])('%s, once the time is up', (_, script) => expectNoAnswer(script, quick))

  test('given up while waiting for the answer', async () => {
    const stop = new AbortController()
    server = await tcpServer((socket) => socket.once('data', () => stop.abort()))
    expect(await create(server.api, stop.signal)).toMatchObject({
      ok: false,
      error: { kind: 'aborted', maybeReceived: true },
    })
  })

  test('given up in the middle of the answer', async () => {
    const stop = new AbortController()
    server = await tcpServer((socket) =>
      socket.once('data', () =>
        socket.write(`${HEAD}content-length: 50\r\n\r\n{"job`, () => setTimeout(() => stop.abort(), 20)),
      ),
    )
    expect(await create(server.api, stop.signal)).toMatchObject({
      ok: false,
      error: { kind: 'aborted', maybeReceived: true },
    })
  })

  test('an answer that drips in beyond the total time is given up', async () => {
    server = await tcpServer(
      (socket) =>
        socket.once('data', () => {
          socket.write(`${HEAD}content-length: 5000\r\n\r\n`)
          const dripping = setInterval(() => socket.write(' '), 40)
          socket.on('close', () => clearInterval(dripping))
        }),
      quick,
    )
    expect(await create(server.api)).toMatchObject({
      ok: false,
      error: { kind: 'noAnswer', reason: 'timeout' },
    })
  })
})

test('a kept connection that the service closed meanwhile does not put a new job in doubt', async () => {
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
  server = await tcpServer((socket) =>
    socket.on('data', (data) => {
      const isPost = data.toString('latin1').startsWith('POST')
      if (isPost) posts++
      const body = isPost ? accepted : list
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      // Says nothing of closing, and closes.
      setImmediate(() => socket.destroy())
    }),
  )
  for (let round = 0; round < 20; round++) {
    await server.api.jobs()
    expect(await create(server.api)).toMatchObject({ ok: true })
  }
  expect(posts).toBe(20)
})

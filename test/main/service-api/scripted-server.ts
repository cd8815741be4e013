/** Scripted servers on loopback, at the level of HTTP or of bytes on the wire. They close when the test has ended. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import {
  createServiceApi,
  parseBaseUrl,
  type BaseUrl,
  type Timeouts,
} from '../../../src/main/service-api/index.ts'
import { listenLocally } from '../../local-server.ts'

export type Scripted = Awaited<ReturnType<typeof scripted>>

type Options = {
  readonly key?: () => string | undefined
  readonly timeouts?: Timeouts
  readonly prefix?: string
}

export const KEY = 'test-key-0123456789'

export function baseUrlOf(text: string): BaseUrl {
  const parsed = parseBaseUrl(text)
  if (!parsed.ok) throw new Error(parsed.why)
  return parsed.value
}

export async function httpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  options: Options = {},
): Promise<Scripted> {
  const requests: IncomingMessage[] = []
  const server = createHttpServer((request, response) => {
    requests.push(request)
    handle(request, response)
  })
  return scripted(server, requests, options)
}

export async function tcpServer(handle: (socket: Socket) => void, options: Options = {}): Promise<Scripted> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    handle(socket)
  })
  return scripted(server, [], options)
}

async function scripted(server: Server, requests: IncomingMessage[], options: Options) {
  /** The number of connections, and the HTTP requests that were received. */
  const seen = { connections: 0, requests }
  server.on('connection', () => seen.connections++)
  const { port, close } = await listenLocally(server)
  const api = createServiceApi({
    baseUrl: baseUrlOf(`http://127.0.0.1:${port}${options.prefix ?? '/api'}`),
    key: options.key ?? (() => KEY),
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  })
  onTestFinished(async () => {
    await api.close()
    await close()
  })
  return { api, port, seen }
}

/** The error of a call, which must have failed. */
export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const answer = await call
  expect(answer).toMatchObject({ ok: false })
  return (answer as { readonly error: unknown }).error
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Returns a port that no program listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenLocally(createTcpServer())
  await close()
  return port
}

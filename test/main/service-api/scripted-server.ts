/** Scripted servers on loopback, at the level of HTTP or of bytes on the wire. They close when the test has ended. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  createServiceApi,
  parseBaseUrl,
  type BaseUrl,
  type ServiceApi,
  type Timeouts,
} from '../../../src/main/service-api/index.ts'

export type Scripted = {
  readonly api: ServiceApi
  readonly port: number
  /** The number of connections, and the HTTP requests that were received. */
  readonly seen: { connections: number; requests: IncomingMessage[] }
}

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

async function scripted(server: Server, requests: IncomingMessage[], options: Options): Promise<Scripted> {
  const seen = { connections: 0, requests }
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    seen.connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api = createServiceApi({
    baseUrl: baseUrlOf(`http://127.0.0.1:${port}${options.prefix ?? '/api'}`),
    key: options.key ?? (() => KEY),
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  })
  onTestFinished(async () => {
    await api.close()
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { api, port, seen }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Returns a port that no program listens on. */
export async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

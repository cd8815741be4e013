/** A service on loopback that has results to download and fails on request. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'

export type ResultsService = {
  readonly api: ServiceApi
  readonly baseUrl: string
  /** Indexes of the requested results, in order. */
  readonly asked: number[]
  /** Handles a request instead of the service. Returns whether it did. */
  instead: (index: number, response: ServerResponse) => boolean
  close(): Promise<void>
}

export const contentOf = (index: number): string => `content of ${index} `.repeat(2000)

export function apiFor(baseUrl: string): ServiceApi {
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) throw new Error(parsed.why)
  return createServiceApi({
    baseUrl: parsed.value,
    key: () => 'secret',
    timeouts: { request: 60_000, idle: 60_000 },
  })
}

export async function resultsService(): Promise<ResultsService> {
  const asked: number[] = []
  const server = createServer((request, response) => {
    const index = Number(new URL(request.url ?? '', 'http://x').searchParams.get('index'))
    asked.push(index)
    if (service.instead(index, response)) return
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(contentOf(index))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/api`
  const api = apiFor(baseUrl)
  const service: ResultsService = {
    api,
    baseUrl,
    asked,
    instead: () => false,
    async close() {
      await api.close()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
  return service
}

export const refuse = (status: number, response: ServerResponse): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"not today"}')
  return true
}

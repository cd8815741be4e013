/** A service on loopback that has results to download and fails on request. */
import { createServer, type ServerResponse } from 'node:http'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import { listenLocally } from '../../local-server.ts'

export type ResultsService = Awaited<ReturnType<typeof resultsService>>

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

export async function resultsService() {
  const asked: number[] = []
  const server = createServer((request, response) => {
    const index = Number(new URL(request.url ?? '', 'http://x').searchParams.get('index'))
    asked.push(index)
    if (service.instead(index, response)) return
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(contentOf(index))
  })
  const { port, close } = await listenLocally(server)
  const baseUrl = `http://127.0.0.1:${port}/api`
  const api = apiFor(baseUrl)
  const service = {
    api,
    baseUrl,
    /** Indexes of the requested results, in order. */
    asked,
    /** Handles a request instead of the service. Returns whether it did. */
    instead: (_index: number, _response: ServerResponse): boolean => false,
    async close() {
      await api.close()
      await close()
    },
  }
  return service
}

export const refuse = (status: number, response: ServerResponse): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"not today"}')
  return true
}

import { createServer } from 'node:http'
import { listenLocally } from '../../local-server.ts'

export type SmallServiceOptions = {
  readonly key?: string
  readonly version?: string
  readonly prefix?: string
  readonly port?: number
}

/** Serves health, presets, drive status and an empty job list over real HTTP. Records every request; the key can be changed. */
export async function startSmallService(options: SmallServiceOptions = {}) {
  const prefix = options.prefix ?? '/api'
  const now = {
    key: options.key ?? 'right-key',
    version: options.version ?? '1.0.81',
    held: Promise.resolve(),
    list: 'jobs' as 'jobs' | 'html',
  }
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const respond = () => {
      if (request.url === `${prefix}/health`) {
        answer(200, { status: 'ok', version: now.version, activeJobs: 0 })
      } else if (request.headers.authorization !== `Bearer ${now.key}`) {
        answer(401, { error: 'no such key' })
      } else if (request.url === `${prefix}/presets`) {
        answer(200, { image: ['Web 2048'], video: ['H.264 1080p'] })
      } else if (request.url === `${prefix}/jobs` && now.list !== 'html') {
        answer(200, { jobs: [], queueLength: 0, processing: false })
      } else if (request.url === `${prefix}/jobs`) {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
      } else if (request.url === `${prefix}/drive/status`) {
        answer(200, { clientConfigured: true, connected: true, email: 'a@example.org', scope: null })
      } else answer(404, { error: 'no such route' })
    }
    void now.held.then(respond)
  })
  const { port, close } = await listenLocally(server, options.port)
  return { baseUrl: `http://127.0.0.1:${port}${prefix}`, port, now, requests, close }
}
export type SmallService = Awaited<ReturnType<typeof startSmallService>>

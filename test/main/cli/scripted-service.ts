/** A Local Media Job service on loopback whose jobs go through scripted states. It closes when the test has ended. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Presets, ServiceJob } from '../../../src/shared/api/resources.ts'
import { listenLocally } from '../../local-server.ts'

export const KEY = 'the-key-of-the-scripted-service'

export type Reading = Partial<ServiceJob> | 'unlisted' | 'gone'

export type ScriptedService = Awaited<ReturnType<typeof scriptedService>>

type Script = {
  /** Job states returned by successive reads; the last one repeats. */
  readonly readings?: readonly Reading[]
  /** Returns the current job state, for tests that change it themselves. */
  readonly reading?: () => Reading
  readonly skipped?: readonly { file: string; error: string }[]
  /** Handles a request instead of the service. Returns whether it did. */
  readonly instead?: (
    request: IncomingMessage,
    response: ServerResponse,
    asked: readonly string[],
    create: () => void,
  ) => boolean
  /** Number of other clients' jobs at the start. */
  readonly others?: number
  readonly presets?: Presets
}

const asJob = (id: number, reading: Partial<ServiceJob>) => ({
  jobId: `job-${id}`,
  status: 'queued',
  type: 'single',
  preset: 'basic',
  progress: {},
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
  completedAt: null,
  ...reading,
})

export async function scriptedService(script: Script = {}) {
  /** The bodies of `POST /jobs`. */
  const created: Record<string, unknown>[] = Array.from({ length: script.others ?? 0 }, () => ({}))
  /** Every request as `METHOD /path`. */
  const asked: string[] = []
  const readings = script.readings ?? [{ status: 'completed', result: { outputPath: '/out/a.jpg' } }]
  let looks = 0

  const jobAt = (index: number): Reading =>
    script.reading?.() ?? readings[Math.min(index, readings.length - 1)] ?? 'gone'
  function answer(request: IncomingMessage, response: ServerResponse, body: string) {
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const route = `${request.method} ${request.url}`
    asked.push(route)
    const create = () => void created.push(JSON.parse(body))
    if (script.instead?.(request, response, asked, create) === true) return
    if (route !== 'GET /api/health' && request.headers.authorization !== `Bearer ${KEY}`) {
      send(401, { error: 'This key is not accepted' })
      return
    }
    if (route === 'GET /api/health') send(200, { status: 'ok', version: '1.0.81', activeJobs: 1 })
    else if (route === 'GET /api/presets')
      send(200, script.presets ?? { image: ['Web'], video: ['Web', 'Video'] })
    else if (route === 'GET /api/drive/status') {
      send(200, { clientConfigured: true, connected: true, email: null, scope: null })
    } else if (route === 'POST /api/jobs') {
      create()
      send(202, {
        jobId: `job-${created.length}`,
        status: 'queued',
        inputFiles: 1,
        batchCount: 1,
        totalOperations: 1,
        skipped: script.skipped ?? [],
        position: 0,
        drive: null,
      })
    } else if (route === 'GET /api/jobs') {
      const reading = jobAt(looks++)
      const listed = typeof reading === 'string' ? [] : created.map((_, index) => asJob(index + 1, reading))
      send(200, { jobs: listed, queueLength: 0, processing: false })
    } else if (route === 'DELETE /api/jobs') send(200, { cleared: 2 })
    else if (request.method === 'GET' && request.url?.startsWith('/api/jobs/job-') === true) {
      const reading = jobAt(Math.max(0, looks - 1))
      if (reading === 'gone') send(404, { error: 'No such job' })
      else send(200, asJob(1, reading === 'unlisted' ? { status: 'processing' } : reading))
    } else if (request.method === 'DELETE') send(200, { jobId: 'job-1', status: 'cancelled' })
    else send(404, { error: 'Not found' })
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => answer(request, response, body))
  })
  const { port, close } = await listenLocally(server)
  onTestFinished(close)
  return { baseUrl: `http://127.0.0.1:${port}/api`, created, asked, close }
}

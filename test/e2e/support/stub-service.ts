/**
 * A Local Media Job service whose state a spec sets, for situations that are hard to create with a real service, such as a slow
 * upload to Drive. It doesn't process anything.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS } from '../../../src/shared/api/limits.ts'
import {
  type DriveStatus,
  type ServiceJob,
  type Presets,
  SpoofJobRequest,
} from '../../../src/shared/api/resources.ts'
import { acceptedJob, queuedJob } from '../../job-samples.ts'

export type StubService = {
  readonly baseUrl: string
  key: string
  version: string
  presets: Presets
  drive: DriveStatus
  /** Newest first, as in `GET /jobs`. */
  readonly jobs: readonly ServiceJob[]
  readonly requests: readonly string[]
  /** Changes the n-th job ever created. */
  pose(number: number, change: Partial<ServiceJob>): void
  /** Adds jobs of another client. */
  addForeign(count: number): void
  /** Stops responding; `open` responds again at the same address. */
  close(): Promise<void>
  open(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type Answer = { readonly status: number; readonly body: unknown }

const FIRST_MOMENT = Date.UTC(2026, 10, 20, 12)
const momentAfter = (seconds: number) => new Date(FIRST_MOMENT + seconds * 1000).toISOString()

/** @param port 0: any free port. Rejects if the port is in use */
export async function startStubService(port = 0): Promise<StubService> {
  let made: ServiceJob[] = []
  let own = port
  const requests: string[] = []
  const sockets = new Set<Socket>()

  function create(
    files: readonly string[],
    { preset, driveOutputFolder }: Partial<SpoofJobRequest>,
  ): ServiceJob {
    const number = made.length + 1
    const drive = driveOutputFolder === undefined ? {} : { drive: { outputFolderId: driveOutputFolder } }
    const job = { ...queuedJob(`job-${number}`, files, preset, momentAfter(number)), ...drive }
    made = [...made, job]
    return job
  }

  const waiting = () => made.filter(({ status }) => status === 'queued').length

  function accept(text: string): Answer {
    const request = SpoofJobRequest.parse(JSON.parse(text))
    if (waiting() >= MAX_WAITING_JOBS)
      return { status: 429, body: { error: 'Ten jobs are already waiting.' } }
    const files = request.files ?? (request.filePath === undefined ? [] : [request.filePath])
    const position = waiting()
    const { jobId } = create(files, request)
    const drive = request.driveOutputFolder === undefined ? null : { input: false, output: true }
    const body = { ...acceptedJob(jobId, files.length, position, request.batchCount), drive }
    return { status: 202, body }
  }

  function cancel(jobId: string): Answer {
    const job = made.find((candidate) => candidate.jobId === jobId)
    if (job === undefined) return { status: 404, body: { error: 'No such job.' } }
    service.pose(made.indexOf(job) + 1, { status: 'cancelled', completedAt: momentAfter(9_000) })
    return { status: 200, body: { jobId, status: 'cancelled' } }
  }

  function answerTo(route: string, request: IncomingMessage, text: string): Answer {
    if (route === 'GET /health')
      return { status: 200, body: { status: 'ok', version: service.version, activeJobs: 0 } }
    if (request.headers.authorization !== `Bearer ${service.key}`)
      return { status: 401, body: { error: 'The key is not valid.' } }
    if (route === 'GET /presets') return { status: 200, body: service.presets }
    if (route === 'GET /drive/status') return { status: 200, body: service.drive }
    if (route === 'POST /jobs') return accept(text)
    if (route === 'GET /jobs') {
      const jobs = made.toReversed().slice(0, MAX_LISTED_JOBS)
      const processing = made.some(({ status }) => status === 'processing')
      return { status: 200, body: { jobs, queueLength: waiting(), processing } }
    }
    const [, method, jobId = ''] = /^(GET|DELETE) \/jobs\/([\w-]+)$/.exec(route) ?? []
    if (method === 'DELETE') return cancel(jobId)
    const found = made.find((job) => job.jobId === jobId)
    return found === undefined
      ? { status: 404, body: { error: 'No such job.' } }
      : { status: 200, body: found }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const route = `${request.method} ${(request.url ?? '').replace(/^\/api/, '')}`
      requests.push(route)
      const { status, body } = answerTo(route, request, Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  }

  const server = createServer(serve)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(own, '127.0.0.1', resolve)
    })

  const service: StubService = {
    baseUrl: '',
    key: 'first-key',
    version: '1.0.81',
    presets: { image: ['Web 2048', 'Square'], video: ['Web 720p'] },
    drive: { clientConfigured: false, connected: false, email: null, scope: null },
    get jobs() {
      return made.toReversed()
    },
    requests,
    pose(number, change) {
      if (made[number - 1] === undefined) throw new Error(`No job ${number} yet`)
      made = made.map((job, index) => (index === number - 1 ? { ...job, ...change } : job))
    },
    addForeign(count) {
      for (let n = 1; n <= count; n++) create([`/elsewhere/${n}.jpg`], { preset: 'Other' })
    },
    open: listen,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await service.close()
    },
  }
  await listen()
  own = (server.address() as AddressInfo).port
  return Object.assign(service, { baseUrl: `http://127.0.0.1:${own}/api` })
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS } from '../../src/shared/api/limits.ts'
import { SpoofJobRequest, type ServiceJob } from '../../src/shared/api/resources.ts'
import { acceptedJob, queuedJob } from '../job-samples.ts'
import { listenLocally } from '../local-server.ts'
import { fastClock } from './fast-time.ts'

export type Route = 'GET /jobs' | 'POST /jobs' | 'POST /upload'

/** How the service mishandles one request. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly afterwards?: boolean }
  /** Never responds. Here and below, `afterwards` means that the service handles the request before the fault. */
  | { readonly kind: 'hang'; readonly afterwards: boolean }
  | { readonly kind: 'reset'; readonly afterwards: boolean }
  | { readonly kind: 'garbage'; readonly afterwards: boolean }
  | { readonly kind: 'truncated'; readonly afterwards: boolean }
  | { readonly kind: 'halfHeader'; readonly afterwards: boolean }
  /** Handles the request after this many ms; the client may be gone by then. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Drops the connection immediately and handles the request after this many ms. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Handles the request, crashes before it responds, and restarts without its state. */
  | { readonly kind: 'restart' }

export type Created = {
  readonly jobId: string
  readonly files: readonly string[]
  readonly preset: string | undefined
  readonly life: number
}

export type ScriptedService = Awaited<ReturnType<typeof startScriptedService>>

/** Starts a Local Media Job service that handles submissions and fails on request. */
export async function startScriptedService(
  options: { port?: number; slots?: boolean; onRequest?: (route: string) => void } = {},
) {
  const scripts = new Map<string, (Fault | null)[]>()
  const created: Created[] = []
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let jobs: ServiceJob[] = []
  let life = 1
  let ids = 0
  let key = 'secret'
  let lastAccepted = ''

  function create(files: readonly string[], preset: string | undefined): ServiceJob {
    ids += 1
    const job = queuedJob(`job-${life}-${ids}`, files, preset, new Date(fastClock()).toISOString())
    jobs.unshift(job)
    return job
  }

  function accept(body: string): { status: number; body: unknown } {
    const request = SpoofJobRequest.parse(JSON.parse(body))
    const waiting = jobs.filter(({ status }) => status === 'queued').length
    if (options.slots === true && waiting >= MAX_WAITING_JOBS) return { status: 429, body: { error: 'full' } }
    lastAccepted = body
    const files = request.files ?? (request.filePath === undefined ? [] : [request.filePath])
    const { jobId } = create(files, request.preset)
    created.push({ jobId, files, preset: request.preset, life })
    return { status: 202, body: acceptedJob(jobId, files.length, waiting) }
  }

  function answerTo(
    route: string,
    request: IncomingMessage,
    body: string,
  ): { status: number; body: unknown } {
    if (request.headers.authorization !== `Bearer ${key}`) return { status: 401, body: { error: 'key' } }
    switch (route) {
      case 'POST /jobs':
        return accept(body)
      case 'GET /jobs':
        return {
          status: 200,
          body: { jobs: jobs.slice(0, MAX_LISTED_JOBS), queueLength: 0, processing: false },
        }
      case 'POST /upload': {
        const name = decodeURIComponent(String(request.headers['x-filename']))
        return { status: 200, body: { filePath: `/uploads/${name}`, originalName: name, size: body.length } }
      }
      default:
        return { status: 404, body: { error: 'no such route' } }
    }
  }

  function fail(fault: Fault, response: ServerResponse, act: () => { status: number; body: unknown }): void {
    const { socket } = response
    if (fault.kind === 'late' || fault.kind === 'slow') {
      timers.add(setTimeout(act, fault.ms))
    } else if (fault.kind === 'restart' || fault.afterwards === true) {
      act()
    }
    switch (fault.kind) {
      case 'status':
        return send(response, fault.status, { error: `scripted ${fault.status}` })
      case 'hang':
      case 'slow':
        return undefined
      case 'garbage':
        response.writeHead(202, { 'content-type': 'application/json' })
        response.end('<html>not what you think</html>')
        return undefined
      case 'truncated':
        response.writeHead(202, { 'content-type': 'application/json', 'content-length': '500' })
        response.write('{"jobId":"job-')
        setImmediate(() => socket?.destroy())
        return undefined
      case 'halfHeader':
        socket?.end('HTTP/1.1 202 Acc')
        return undefined
      case 'restart':
        life += 1
        jobs = []
        for (const open of sockets) open.destroy()
        return undefined
      case 'reset':
      case 'late':
        socket?.resetAndDestroy()
        return undefined
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const route = `${request.method} ${(request.url ?? '').replace(/^\/api/, '')}`
      requests.push(route)
      options.onRequest?.(route)
      const act = () => answerTo(route, request, Buffer.concat(chunks).toString())
      const fault = scripts.get(route)?.shift()
      if (fault) return fail(fault, response, act)
      const { status, body } = act()
      return send(response, status, body)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const { port, close } = await listenLocally(server, options.port)

  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    port,
    /** Scripts faults for the next requests to a route, in order; null means a normal response. */
    script: (route: Route, faults: readonly (Fault | null)[]) =>
      void scripts.set(route, [...(scripts.get(route) ?? []), ...faults]),
    /** Every job ever created, regardless of its outcome. */
    created: created as readonly Created[],
    requests: requests as readonly string[],
    /** Number of the current run: 1 at first, incremented by each restart that doesn't renumber the jobs. */
    life: () => life,
    /** Returns the jobs as `GET /jobs` lists them. */
    list: (): readonly ServiceJob[] => jobs,
    /** Clears finished jobs, as another client would. */
    clear() {
      jobs = jobs.filter(({ status }) => status === 'queued' || status === 'processing')
    },
    /** Stops and restarts without its state. */
    restart({ renumber = false } = {}) {
      jobs = []
      if (renumber) ids = 0
      else life += 1
    },
    /** Completes the waiting jobs, so that the queue has room again. */
    drain() {
      jobs = jobs.map((job) => ({ ...job, status: 'completed' }))
    },
    /** Repeats the latest accepted request, as if another client had sent it. */
    repeatLast: () => void accept(lastAccepted),
    /** Adds jobs of another client. */
    addForeign(count: number) {
      for (let n = 0; n < count; n += 1) create([`/other/${n}.jpg`], 'Other')
    },
    setKey: (next: string) => void (key = next),
    async close() {
      for (const timer of timers) clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
      await close()
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

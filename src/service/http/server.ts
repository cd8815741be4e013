/**
 * The HTTP side of the API (sections 4, 5 and 7) on fastify. It knows how requests look and how answers are written;
 * what they mean is the business of the queue, the presets and the drive.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { API_VERSION, JOB_ID_PATTERN, MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import {
  type CancelledJob,
  type ClearedJobs,
  type Health,
  type Job,
  type JobList,
  type Presets,
  SpoofJobRequest,
} from '../../shared/api/resources.ts'
import type { Drive } from '../drive/index.ts'
import type { Preset } from '../presets/index.ts'
import { type Queue, Refusal, submitJob } from '../queue/index.ts'
import { openDownload } from './download.ts'
import { answerBrokenRequest, answerTo, answerToDenial } from './error-answers.ts'
import { createGuard, type Denial, type Guard } from './guard.ts'
import { uploadNameFrom } from './upload-name.ts'
import type { UploadStore } from './upload-store.ts'

/** What the routes need of the saved presets. */
export type PresetSource = {
  list(): Presets
  find(name: string): Preset | undefined
}

/** How long a client may take, in ms. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headers: number
  /** Between two pieces of anything, in either direction, before the connection is closed. */
  readonly stalled: number
  /** For a body that is not an upload, and for the rest of a body that was answered before its end. */
  readonly body: number
  /** For a whole request, uploads included. */
  readonly request: number
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headers: 10_000,
  stalled: 60_000,
  body: 20_000,
  request: 60 * 60 * 1000,
}

export type ServerOptions = {
  readonly apiKey: string
  readonly queue: Queue
  readonly presets: PresetSource
  readonly drive: Drive
  readonly uploads: UploadStore
  readonly log: (message: string) => void
  readonly timeouts?: Timeouts
}

const PREFIX = '/api'
const HEALTH = `${PREFIX}/health`
const UPLOAD = `${PREFIX}/upload`

export function createHttpServer(options: ServerOptions): FastifyInstance {
  const { timeouts = DEFAULT_TIMEOUTS } = options
  const guard = createGuard(options.apiKey)
  const server = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    bodyLimit: MAX_JSON_BYTES,
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: answerBrokenRequest,
    // An address that can't even be decoded comes past the hooks, so the key is asked for here as well.
    frameworkErrors: (error, request, reply) => {
      const denial = denialOf(guard, request)
      const { status, body } = denial ? answerToDenial(denial) : answerTo(error)
      reply.hijack()
      reply.raw
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body))
    },
    serverFactory: (handler) => {
      const http = createServer(
        {
          // Checked by the guard, which answers with an Error body.
          requireHostHeader: false,
          headersTimeout: timeouts.headers,
          requestTimeout: timeouts.request,
          connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
          keepAliveTimeout: 72_000,
        },
        handler,
      )
      // The client is told to go on only when its request has been found good.
      http.on('checkContinue', handler)
      http.on('checkExpectation', handler)
      http.setTimeout(timeouts.stalled)
      return http
    },
  })

  server.addHook('onRequest', async (request, reply) => {
    const denial = denialOf(guard, request)
    if (denial) {
      await sendDenial(reply, denial)
      return
    }
    refuseTooLarge(request)
    if (!isUpload(request)) closeUnlessComplete(request, timeouts.body)
  })
  server.addHook('preParsing', async (request, reply) => {
    if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue()
  })
  server.addHook('onResponse', async (request) => finishReading(request, timeouts.body))

  server.setErrorHandler((error, request, reply) => {
    const { status, body } = answerTo(error)
    if (status >= 500)
      options.log(`${request.method} ${request.routeOptions.url ?? ''} failed: ${String(error)}`)
    return reply.status(status).send(body)
  })
  server.setNotFoundHandler((_request, reply) => reply.status(404).send({ error: 'There is no such route' }))

  server.removeAllContentTypeParsers()
  void server.register((routes) => addReadingRoutes(routes, options), { prefix: PREFIX })
  void server.register((routes) => addJobRoute(routes, options), { prefix: PREFIX })
  void server.register((routes) => addUploadRoute(routes, options), { prefix: PREFIX })
  return server
}

/** The key comes before everything else; only the health of the service is told without it. */
function denialOf(guard: Guard, request: FastifyRequest): Denial | undefined {
  const isOpen = request.method === 'GET' && pathOf(request) === HEALTH
  const { headers, socket } = request.raw
  return (isOpen ? undefined : guard.checkKey(headers)) ?? guard.checkOrigin(headers, socket.localPort ?? 0)
}

function sendDenial(reply: FastifyReply, denial: Denial): FastifyReply {
  const { status, body } = answerToDenial(denial)
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply.status(status).send(body)
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? ''

const isUpload = (request: FastifyRequest): boolean => request.method === 'POST' && pathOf(request) === UPLOAD

/** A length that was announced is refused before a byte of it is read; others are counted as they come. */
function refuseTooLarge(request: FastifyRequest): void {
  const length = Number(request.headers['content-length'] ?? 0)
  if (isUpload(request)) {
    if (length > MAX_UPLOAD_BYTES) throw new Refusal(400, 'The file is larger than 500 MiB')
  } else if (length > MAX_JSON_BYTES) {
    throw new Refusal(400, 'The body is larger than 64 KiB')
  }
}

/** Closing at once would take the answer from a client that is still sending: what it sends is thrown away for a while. */
function finishReading(request: FastifyRequest, patience: number): void {
  if (request.raw.complete) return
  request.raw.resume()
  closeUnlessComplete(request, patience)
}

function closeUnlessComplete(request: FastifyRequest, patience: number): void {
  const { raw } = request
  if (raw.complete || !mayHaveBody(request)) return
  const timer = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy()
  }, patience)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

const mayHaveBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const JobParams = z.object({ jobId: z.string() })
const DownloadQuery = z.object({ index: z.string().optional() })

async function addReadingRoutes(routes: FastifyInstance, options: ServerOptions): Promise<void> {
  const { queue, presets, drive } = options
  ignoreBodies(routes)

  routes.get('/health', () => {
    const health: Health = { status: 'ok', version: API_VERSION, activeJobs: queue.activeJobs() }
    return health
  })
  routes.get('/presets', () => presets.list())
  routes.get('/drive/status', async () => (await drive.readiness()).status)

  const serialise = rememberingSerialiser()
  routes.get('/jobs', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(serialise(queue.list())),
  )
  routes.delete('/jobs', () => {
    const cleared: ClearedJobs = { cleared: queue.clear() }
    return cleared
  })
  routes.get('/jobs/:jobId', (request) => requireJob(queue, request))
  routes.delete('/jobs/:jobId', (request) => {
    const { jobId } = requireJob(queue, request)
    queue.cancel(jobId)
    const cancelled: CancelledJob = { jobId, status: 'cancelled' }
    return cancelled
  })
  routes.get('/download/:jobId', async (request, reply) => {
    const job = requireJob(queue, request)
    const query = DownloadQuery.safeParse(request.query)
    if (!query.success) throw new Refusal(400, 'index must be given once')
    const { stream, headers } = await openDownload(job, query.data.index)
    return reply.headers(headers).send(stream)
  })
}

function requireJob(queue: Queue, request: FastifyRequest): Job {
  const { jobId } = JobParams.parse(request.params)
  const job = JOB_ID_PATTERN.test(jobId) ? queue.find(jobId) : undefined
  if (!job) throw new Refusal(404, 'There is no such job')
  return job
}

/** The list is asked for every two seconds by every client, and mostly nothing has changed. */
function rememberingSerialiser(): (list: JobList) => string {
  let known: JobList | undefined
  let text = ''
  return (list) => {
    if (list !== known) {
      known = list
      text = JSON.stringify(list)
    }
    return text
  }
}

async function addJobRoute(routes: FastifyInstance, options: ServerOptions): Promise<void> {
  const { queue, presets, drive } = options
  routes.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body))
    } catch {
      done(new Refusal(400, 'The body is not valid JSON'))
    }
  })
  refuseOtherTypes(routes, 'The body must be JSON with the content type application/json')

  routes.post('/jobs', async (request, reply) => {
    const body = SpoofJobRequest.safeParse(request.body)
    if (!body.success) throw new Refusal(400, describeIssues(body.error))
    const findPreset = (name: string) => presets.find(name)
    const accepted = await submitJob(body.data, { queue, findPreset, drive })
    return reply.status(202).send(accepted)
  })
}

function parseJson(body: string | Buffer): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
  return JSON.parse(text)
}

function describeIssues(error: z.ZodError): string {
  const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return `The request is not valid. ${issues.slice(0, 5).join('; ')}`
}

async function addUploadRoute(routes: FastifyInstance, { uploads }: ServerOptions): Promise<void> {
  routes.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  refuseOtherTypes(routes, 'The body must be raw bytes with the content type application/octet-stream')

  routes.post('/upload', async (request) => {
    const name = uploadNameFrom(request.headers['x-filename'])
    const { body } = request
    if (!(body instanceof Readable)) throw new Refusal(400, 'The body is empty')
    return uploads.save(name, body)
  })
}

function refuseOtherTypes(routes: FastifyInstance, message: string): void {
  routes.addContentTypeParser('*', (_request, _payload, done) => done(new Refusal(400, message)))
}

/** Routes without a body take one all the same, from clients that always send a content type. */
function ignoreBodies(routes: FastifyInstance): void {
  routes.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}

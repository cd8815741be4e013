/** The routes of section 4, each with the kind of body that it accepts. */
import { failure } from '../../shared/failure/failure.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { API_VERSION, JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import {
  type CancelledJob,
  type ClearedJobs,
  type Health,
  type ServiceJob,
  type JobList,
  SpoofJobRequest,
  type Upload,
} from '../../shared/api/resources.ts'
import type { Drive } from '../drive/index.ts'
import type { PresetStore } from '../presets/presets.ts'
import { type Queue, HttpError, submitJob } from '../queue/index.ts'
import { openDownload } from './download.ts'
import { uploadNameFrom } from './upload-name.ts'
import type { UploadStore } from './upload-store.ts'

export type RouteOptions = {
  readonly queue: Queue
  readonly presets: PresetStore
  readonly drive: Drive
  readonly uploads: UploadStore
  /** Returns a hidden name that is free in the folder. */
  readonly temporaryName: (folder: string) => Promise<string>
}

const JobParams = z.object({ jobId: z.string() })
const DownloadQuery = z.object({ index: z.string().optional() })

export async function addReadingRoutes(routes: FastifyInstance, options: RouteOptions): Promise<void> {
  const { queue, presets, drive } = options
  ignoreBodies(routes)

  routes.get('/health', () => {
    const health: Health = { status: 'ok', version: API_VERSION, activeJobs: queue.activeJobs() }
    return health
  })
  routes.get('/presets', async () => {
    await presets.refresh()
    return presets.list()
  })
  routes.get('/drive/status', async () => (await drive.readiness()).status)

  const serialize = cachingSerializer()
  routes.get('/jobs', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(serialize(queue.list())),
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
    if (!query.success) throw new HttpError(400, failure('indexInvalid'))
    const { stream, headers } = await openDownload(job, query.data.index)
    return reply.headers(headers).send(stream)
  })
}

function requireJob(queue: Queue, request: FastifyRequest): ServiceJob {
  const { jobId } = JobParams.parse(request.params)
  const job = JOB_ID_PATTERN.test(jobId) ? queue.find(jobId) : undefined
  if (!job) throw new HttpError(404, failure('jobUnknown'))
  return job
}

/** Caches the serialized list, because every client polls it every two seconds and it rarely changes. */
function cachingSerializer(): (list: JobList) => Buffer {
  let known: JobList | undefined
  let text = Buffer.alloc(0)
  return (list) => {
    if (list !== known) {
      known = list
      text = Buffer.from(JSON.stringify(list))
    }
    return text
  }
}

export async function addJobRoute(routes: FastifyInstance, options: RouteOptions): Promise<void> {
  const { queue, presets, drive, uploads, temporaryName } = options
  routes.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body))
    } catch {
      done(new HttpError(400, failure('bodyNotJson')))
    }
  })
  refuseOtherTypes(routes, 'bodyTypeNotJson')

  routes.post('/jobs', async (request, reply) => {
    const body = SpoofJobRequest.safeParse(request.body)
    if (!body.success)
      throw new HttpError(400, failure('requestInvalid', { detail: describeIssues(body.error) }))
    await presets.refresh()
    const { socket } = request.raw
    // A half-closed connection counts as closed, because that is its state after the system has killed the client's process.
    const isClientThere = () => !socket.destroyed && !socket.readableEnded
    const accepted = await submitJob(body.data, {
      queue,
      presets,
      drive,
      temporaryName,
      isClientThere,
      uploadFolder: uploads.folder,
    })
    return reply.status(202).send(accepted)
  })
}

function parseJson(body: string | Buffer): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
  return JSON.parse(text)
}

function describeIssues(error: z.ZodError): string {
  const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return issues.slice(0, 5).join('; ')
}

export async function addUploadRoute(routes: FastifyInstance, { uploads }: RouteOptions): Promise<void> {
  routes.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  refuseOtherTypes(routes, 'bodyTypeNotBytes')

  routes.post('/upload', (request) => receiveUpload(request, uploads))
}

async function receiveUpload({ headers, body }: FastifyRequest, uploads: UploadStore): Promise<Upload> {
  const name = uploadNameFrom(headers['x-filename'])
  if (!(body instanceof Readable)) throw new HttpError(400, failure('uploadEmpty'))
  return uploads.save(name, body, Number(headers['content-length'] ?? 0))
}

function refuseOtherTypes(routes: FastifyInstance, code: 'bodyTypeNotJson' | 'bodyTypeNotBytes'): void {
  routes.addContentTypeParser('*', (_request, _payload, done) => done(new HttpError(400, failure(code))))
}

/** Accepts bodies on routes that don't use one, for clients that always send a content type. */
function ignoreBodies(routes: FastifyInstance): void {
  routes.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}

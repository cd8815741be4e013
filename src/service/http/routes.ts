/** The routes of section 4, each with what its body may be. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { API_VERSION, JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import {
  type CancelledJob,
  type ClearedJobs,
  type Health,
  type Job,
  type JobList,
  type Presets,
  SpoofJobRequest,
  type Upload,
} from '../../shared/api/resources.ts'
import type { Drive } from '../drive/index.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { type Queue, HttpError, submitJob } from '../queue/index.ts'
import { openDownload } from './download.ts'
import { uploadNameFrom } from './upload-name.ts'
import type { UploadStore } from './upload-store.ts'

/** What the routes need of the saved presets. */
export type PresetSource = {
  list(): Presets
  find(name: string): Preset | undefined
  /** Takes in what was changed in the documents since. */
  refresh(): Promise<void>
}

export type RouteOptions = {
  readonly queue: Queue
  readonly presets: PresetSource
  readonly drive: Drive
  readonly uploads: UploadStore
  /** A hidden name in a folder that nothing has yet. */
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
    if (!query.success) throw new HttpError(400, 'index must be given once')
    const { stream, headers } = await openDownload(job, query.data.index)
    return reply.headers(headers).send(stream)
  })
}

function requireJob(queue: Queue, request: FastifyRequest): Job {
  const { jobId } = JobParams.parse(request.params)
  const job = JOB_ID_PATTERN.test(jobId) ? queue.find(jobId) : undefined
  if (!job) throw new HttpError(404, 'There is no such job')
  return job
}

/** The list is asked for every two seconds by every client, and mostly nothing has changed. */
function rememberingSerialiser(): (list: JobList) => Buffer {
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
      done(new HttpError(400, 'The body is not valid JSON'))
    }
  })
  refuseOtherTypes(routes, 'The body must be JSON with the content type application/json')

  routes.post('/jobs', async (request, reply) => {
    const body = SpoofJobRequest.safeParse(request.body)
    if (!body.success) throw new HttpError(400, describeIssues(body.error))
    await presets.refresh()
    const { socket } = request.raw
    // One that has only ended its side counts as gone too: that is how the system closes the connections of a killed process.
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
  return `The request is not valid. ${issues.slice(0, 5).join('; ')}`
}

export async function addUploadRoute(routes: FastifyInstance, { uploads }: RouteOptions): Promise<void> {
  routes.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  refuseOtherTypes(routes, 'The body must be raw bytes with the content type application/octet-stream')

  routes.post('/upload', (request) => receiveUpload(request, uploads))
}

async function receiveUpload({ headers, body }: FastifyRequest, uploads: UploadStore): Promise<Upload> {
  const name = uploadNameFrom(headers['x-filename'])
  if (!(body instanceof Readable)) throw new HttpError(400, 'The body is empty')
  return uploads.save(name, body, Number(headers['content-length'] ?? 0))
}

function refuseOtherTypes(routes: FastifyInstance, message: string): void {
  routes.addContentTypeParser('*', (_request, _payload, done) => done(new HttpError(400, message)))
}

/** Routes without a body take one all the same, from clients that always send a content type. */
function ignoreBodies(routes: FastifyInstance): void {
  routes.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}

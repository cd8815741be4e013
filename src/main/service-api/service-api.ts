import type * as z from 'zod'
import { JOB_ID_PATTERN, REQUEST_TIMEOUT_MS } from '../../shared/api/limits.ts'
import {
  AcceptedJob,
  CancelledJob,
  ClearedJobs,
  DriveStatus,
  Health,
  Job,
  JobList,
  Presets,
  Upload,
  type SpoofJobRequest,
} from '../../shared/api/resources.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { authorizationHeader } from './authorization.ts'
import type { BaseUrl } from './base-url.ts'
import { openPools } from './connection-pools.ts'
import { startDeadline, type Deadline, type TimeLimit } from './deadline.ts'
import { downloadName } from './download-name.ts'
import { exchange, type Answer, type Call } from './exchange.ts'
import { brokenExchange } from './failure.ts'
import { readText } from './read-text.ts'
import { receiveFile, type Downloaded, type DownloadProgress, type DownloadTarget } from './receive-file.ts'
import { refusal } from './response-error.ts'
import { badResponse, readResource } from './resource.ts'
import type { Route } from './routes.ts'
import { uploadName } from './upload-name.ts'
import { openUploadSource, type UploadSource } from './upload-source.ts'

/** In ms. */
export type Timeouts = {
  /** For a whole request and its answer (section 8: 30 s). */
  readonly request: number
  /** For uploads and downloads: the longest time in which no byte moves. */
  readonly idle: number
}

export type ServiceApiOptions = {
  readonly baseUrl: BaseUrl
  /** Asked anew for every request, so that a changed key needs no new connection. Never kept, never part of an error. */
  readonly key: () => string | undefined
  readonly timeouts?: Timeouts
}

export type RequestOptions = { readonly signal?: AbortSignal }

export type UploadProgress = {
  /** In bytes. */
  readonly sent: number
  /** In bytes. */
  readonly total: number
}

export type UploadOptions = RequestOptions & { readonly onProgress?: (progress: UploadProgress) => void }

export type DownloadOptions = RequestOptions & {
  /** Of a batch's `results`, from 0 (section 4: not of its inputs). */
  readonly index?: number
  readonly to: DownloadTarget
  readonly onProgress?: (progress: DownloadProgress) => void
}

/**
 * A Local Media Job service, route by route (section 4). Nothing throws: whatever can go wrong is a `ServiceError`.
 * Every request is sent exactly once, redirects are not followed, and an answer is only believed once it has parsed.
 */
export interface ServiceApi {
  readonly baseUrl: BaseUrl
  /** Needs no key. */
  health(options?: RequestOptions): Promise<Result<Health>>
  presets(options?: RequestOptions): Promise<Result<Presets>>
  driveStatus(options?: RequestOptions): Promise<Result<DriveStatus>>
  /** Streams a file to the service. What it takes (section 8) is checked first; a `refused` without status was not sent. */
  upload(source: UploadSource, options?: UploadOptions): Promise<Result<Upload>>
  /**
   * Creates a job; every call that arrives creates another (section 2, rule 5). After `noAnswer`, `serverError`,
   * `badResponse`, or `aborted` with `maybeReceived`, read the job list before sending it again.
   */
  createJob(request: SpoofJobRequest, options?: RequestOptions): Promise<Result<AcceptedJob>>
  /** The 50 most recent jobs and the state of the queue. */
  jobs(options?: RequestOptions): Promise<Result<JobList>>
  job(jobId: string, options?: RequestOptions): Promise<Result<Job>>
  /** Asks for it; whether it happened is seen by reading the job again (section 3). `conflict` where it has ended. */
  cancelJob(jobId: string, options?: RequestOptions): Promise<Result<CancelledJob>>
  /** Removes the finished jobs from the service's history. */
  clearJobs(options?: RequestOptions): Promise<Result<ClearedJobs>>
  /** Saves an output, under a temporary name until it is whole, never over anything that exists. */
  download(jobId: string, options: DownloadOptions): Promise<Result<Downloaded>>
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>
}

/** Far more than 50 jobs with thousands of files each need, far less than would hurt. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** An error needs no more than this to say what is wrong. */
const MAX_ERROR_BYTES = 256 * 1024

export function createServiceApi({ baseUrl, key, timeouts }: ServiceApiOptions): ServiceApi {
  const { request: requestMs, idle: idleMs } = timeouts ?? {
    request: REQUEST_TIMEOUT_MS,
    idle: REQUEST_TIMEOUT_MS,
  }
  const total: TimeLimit = { kind: 'total', ms: requestMs }
  const idle: TimeLimit = { kind: 'idle', ms: idleMs }

  const pools = openPools(baseUrl.origin, requestMs)

  type Outgoing = Omit<Call, 'path' | 'headers'> & {
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly withoutKey?: boolean
    readonly onBodySent?: (bytes: number) => void
  }

  /** One request; `read` makes of a successful answer what the caller wants. */
  async function send<T>(
    route: Route,
    outgoing: Outgoing,
    limit: TimeLimit,
    signal: AbortSignal | undefined,
    read: (answer: Answer, deadline: Deadline) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const authorization = outgoing.withoutKey === true ? succeeded({}) : authorizationHeader(key())
    if (!authorization.ok) return authorization

    const { method, path, headers, body, onBodySent } = outgoing
    const deadline = startDeadline(limit, signal)
    try {
      const exchanged = await exchange(
        await (method === 'GET' ? pools.reading() : pools.writing()),
        {
          method,
          path: baseUrl.prefix + path,
          headers: { accept: 'application/json', ...headers, ...authorization.value },
          ...(body === undefined ? {} : { body }),
        },
        deadline,
        onBodySent,
      )
      if (!exchanged.ok) return failed(brokenExchange(exchanged, deadline))
      const { answer } = exchanged
      deadline.touch()
      if (answer.statusCode >= 200 && answer.statusCode < 300) return await read(answer, deadline)
      return failed(await readRefusal(route, answer, deadline))
    } finally {
      deadline.release()
    }
  }

  const sendForJson = <T>(
    route: Route,
    schema: z.ZodType<T>,
    outgoing: Outgoing,
    options: RequestOptions | undefined,
    limit: TimeLimit = total,
  ): Promise<Result<T>> =>
    send(route, outgoing, limit, options?.signal, (answer, deadline) =>
      readJson(route, schema, answer, deadline),
    )

  return {
    baseUrl,

    health: (options) =>
      sendForJson('GET /health', Health, { method: 'GET', path: '/health', withoutKey: true }, options),

    presets: (options) => sendForJson('GET /presets', Presets, { method: 'GET', path: '/presets' }, options),

    driveStatus: (options) =>
      sendForJson('GET /drive/status', DriveStatus, { method: 'GET', path: '/drive/status' }, options),

    async upload(source, options) {
      const opened = await openUploadSource(source)
      if (!opened.ok) return opened
      const { name, size, body, trouble, close } = opened.value
      let sent = 0
      try {
        const uploaded = await sendForJson(
          'POST /upload',
          Upload,
          {
            method: 'POST',
            path: '/upload',
            headers: {
              'x-filename': uploadName(name),
              'content-type': 'application/octet-stream',
              'content-length': String(size),
            },
            body,
            onBodySent: (bytes) => {
              sent += bytes
              options?.onProgress?.({ sent, total: size })
            },
          },
          options,
          idle,
        )
        if (uploaded.ok && uploaded.value.size !== size) {
          return failed(
            badResponse('POST /upload', 'size', `${size} bytes were sent, ${uploaded.value.size} arrived`),
          )
        }
        return uploaded.ok ? uploaded : failed(trouble() ?? uploaded.error)
      } finally {
        body.destroy()
        await close()
      }
    },

    createJob: (request, options) =>
      sendForJson(
        'POST /jobs',
        AcceptedJob,
        {
          method: 'POST',
          path: '/jobs',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
        },
        options,
      ),

    jobs: (options) => sendForJson('GET /jobs', JobList, { method: 'GET', path: '/jobs' }, options),

    async job(jobId, options) {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson('GET /jobs/{jobId}', Job, { method: 'GET', path: `/jobs/${jobId}` }, options)
    },

    async cancelJob(jobId, options) {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return sendForJson(
        'DELETE /jobs/{jobId}',
        CancelledJob,
        { method: 'DELETE', path: `/jobs/${jobId}` },
        options,
      )
    },

    clearJobs: (options) =>
      sendForJson('DELETE /jobs', ClearedJobs, { method: 'DELETE', path: '/jobs' }, options),

    async download(jobId, { index = 0, to, onProgress, signal }) {
      if (!JOB_ID_PATTERN.test(jobId)) return unknownJob(jobId)
      return send(
        'GET /download/{jobId}',
        { method: 'GET', path: `/download/${jobId}?index=${index}`, headers: { accept: '*/*' } },
        idle,
        signal,
        (answer, deadline) => receiveFile(answer, suggestedName(answer, jobId), to, deadline, onProgress),
      )
    },

    close: () => pools.destroy(),
  }
}

function suggestedName(answer: Answer, jobId: string): string {
  const header = answer.headers['content-disposition']
  return downloadName(typeof header === 'string' ? header : undefined, jobId)
}

async function readRefusal(route: Route, answer: Answer, deadline: Deadline): Promise<ServiceError> {
  const body = await readText(answer, MAX_ERROR_BYTES, deadline)
  // The status alone says what matters; an error body that is cut off or far too long adds nothing to it.
  return refusal(route, answer.statusCode, body.ok ? body.text : '')
}

async function readJson<T>(
  route: Route,
  schema: z.ZodType<T>,
  answer: Answer,
  deadline: Deadline,
): Promise<Result<T>> {
  const body = await readText(answer, MAX_ANSWER_BYTES, deadline)
  if (body.ok) return readResource(route, schema, body.text)
  return failed(
    body.why === 'tooLong'
      ? badResponse(route, 'body', 'it is far too long')
      : brokenExchange({ sent: true, cause: body.cause }, deadline),
  )
}

const unknownJob = (jobId: string) =>
  failed({ kind: 'notFound', message: `“${jobId}” is not the id of a job.` })

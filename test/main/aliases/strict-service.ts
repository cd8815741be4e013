/**
 * A Local Media Job service that knows files only by their names: it rejects every extension outside section 1, and reports inputs
 * by the names that it received. Closes when the test has ended.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { basename, join, parse } from 'node:path'
import { SpoofJobRequest, type ServiceJob } from '../../../src/shared/api/resources.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'

export const KEY = 'the-key-of-the-strict-service'

const ACCEPTED = /\.(?:jpg|jpeg|png|webp|heic|bmp|tiff|mp4|mov|avi|mkv|webm|m4v)$/i

/** @param folder for uploads */
export async function strictService(folder: string) {
  const jobs: ServiceJob[] = []
  const service = {
    baseUrl: '',
    /** All inputs of all jobs, in order, as the service received them. */
    inputs: [] as string[],
    /** Names of uploads. */
    uploads: [] as string[],
    /** Called for each input while its job runs. */
    onInput: (_path: string): void => undefined,
    /** Whether jobs are reported as running although they have ended. */
    isHeld: false,
  }

  function addJob(body: string): unknown {
    const request = SpoofJobRequest.parse(JSON.parse(body))
    const given = request.files ?? [request.filePath ?? '']
    const files = given.filter((path) => ACCEPTED.test(path) && existsSync(path))
    const skipped = given.filter((path) => !files.includes(path))
    const outputFolder = request.outputFolder ?? ''
    mkdirSync(outputFolder, { recursive: true })
    const results = files.map((file) => {
      service.inputs.push(file)
      service.onInput(file)
      const outputPath = join(outputFolder, `${parse(file).name}-out.jpg`)
      writeFileSync(outputPath, readFileSync(file))
      return { file, outputPath }
    })
    const jobId = `job-${jobs.length + 1}`
    const now = new Date().toISOString()
    const [first] = results
    jobs.unshift({
      jobId,
      status: 'completed',
      type: given.length === 1 ? 'single' : 'batch',
      preset: request.preset ?? '',
      progress: {},
      createdAt: now,
      startedAt: now,
      completedAt: now,
      totalFiles: files.length,
      fileName: basename(files[0] ?? ''),
      ...(given.length === 1 && first !== undefined
        ? { result: { outputPath: first.outputPath } }
        : { results }),
    })
    return {
      jobId,
      status: 'queued',
      inputFiles: files.length,
      batchCount: 1,
      totalOperations: files.length,
      skipped: skipped.map((file) => ({ file, error: 'unsupported extension' })),
      position: 0,
      drive: null,
    }
  }

  function shown(job: ServiceJob): ServiceJob {
    if (!service.isHeld) return job
    const { result: _result, results: _results, ...rest } = job
    return { ...rest, status: 'processing', completedAt: null, progress: { fileName: job.fileName ?? '' } }
  }

  function upload(request: IncomingMessage, bytes: Buffer): [status: number, body: unknown] {
    const name = decodeURIComponent(String(request.headers['x-filename']))
    if (!ACCEPTED.test(name)) return [400, { error: 'unsupported extension' }]
    service.uploads.push(name)
    const filePath = join(folder, `${service.uploads.length}-${name}`)
    writeFileSync(filePath, bytes)
    return [200, { filePath, originalName: name, size: statSync(filePath).size }]
  }

  function answer(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const route = `${request.method} ${request.url}`
    if (route === 'GET /api/health') return void send(200, { status: 'ok', version: '1.0.81', activeJobs: 0 })
    if (request.headers.authorization !== `Bearer ${KEY}`) return void send(401, { error: 'key' })
    if (route === 'GET /api/presets') return void send(200, { image: ['Web'], video: ['Web'] })
    if (route === 'GET /api/jobs')
      return void send(200, { jobs: jobs.map(shown), queueLength: 0, processing: service.isHeld })
    if (route === 'POST /api/jobs') return void send(202, addJob(bytes.toString()))
    if (route === 'POST /api/upload') return void send(...upload(request, bytes))
    const [, id, index] = /^GET \/api\/download\/(.*?)(?:\?index=(\d+))?$/.exec(route) ?? []
    const job = jobs.find(({ jobId }) => jobId === id || route.endsWith(`/jobs/${jobId}`))
    if (job === undefined) return void send(404, { error: 'unknown' })
    if (id === undefined) return void send(200, shown(job))
    const path = job.result?.outputPath ?? job.results?.[Number(index ?? 0)]?.outputPath ?? ''
    const disposition = `attachment; filename="${basename(path)}"`
    response
      .writeHead(200, { 'content-type': 'image/jpeg', 'content-disposition': disposition })
      .end(readFileSync(path))
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(request, response, Buffer.concat(parts)))
  })
  service.baseUrl = `${await listenUntilEnd(server)}/api`
  return service
}

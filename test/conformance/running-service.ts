/** The built-in service as a separate process, with helpers for talking to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { isInProgress } from '../../src/shared/api/job-status.ts'
import { AcceptedJob, ApiError, ServiceJob, JobList, Upload } from '../../src/shared/api/resources.ts'
import { SERVICE } from '../entries.ts'

export const API_KEY = 'a-key_that.only-this-test-knows-0123456789'

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })

export type RunningService = Awaited<ReturnType<typeof startService>>

export function spawnService(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = { MEDIATRAY_API_KEY: API_KEY },
): ChildProcess {
  const { MEDIATRAY_API_KEY: _own, ...inherited } = process.env
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVICE, ...args], {
    env: { ...inherited, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** @param prepare writes files to the data folder beforehand */
export async function startService(
  extra: readonly string[] = [],
  prepare: (dataDir: string) => Promise<void> = () => Promise.resolve(),
) {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-service-'))
  await prepare(join(folder, 'data'))
  const child = spawnService(['--port', '0', '--data-dir', join(folder, 'data'), ...extra])
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (texts.stderr += String(chunk)))
  const { baseUrl } = await firstLine(child)
  const exited = once(child, 'exit')

  /** Sends a request with the API key. */
  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${API_KEY}`)
    return fetch(`${baseUrl}${path}`, { ...init, headers })
  }
  /** Posts a body for a job as it is, of any type. */
  const post = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, type = 'application/json') => {
    const headers = { 'content-type': type }
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
    return call('/jobs', init)
  }
  const submit = (body: unknown) => post(JSON.stringify(body))
  const upload = (name: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    call('/upload', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-filename': name, ...headers },
      body: new Uint8Array(bytes),
    })
  const list = async () => JobList.parse(await (await call('/jobs')).json())
  const job = async (jobId: string) => ServiceJob.parse(await (await call(`/jobs/${jobId}`)).json())

  /**
   * Ends the process and removes the folder.
   * @returns the exit code
   */
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await exited
    }
    await rm(folder, { recursive: true, force: true })
    return child.exitCode
  }
  return {
    baseUrl,
    key: API_KEY,
    port: Number(new URL(baseUrl).port),
    /** A folder for this test only; the service's data is in `data` below it. */
    folder,
    child,
    /** The output on each stream so far. */
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    call,
    post,
    submit,
    upload,
    list,
    job,
    cancel: (jobId: string) => call(`/jobs/${jobId}`, { method: 'DELETE' }),
    download: (jobId: string, query = '') => call(`/download/${jobId}${query}`),
    /** Submits a job that must be accepted. */
    async accept(body: unknown): Promise<AcceptedJob> {
      const response = await submit(body)
      const answer: unknown = await response.json()
      if (response.status !== 202) throw new Error(`${response.status}: ${JSON.stringify(answer)}`)
      return AcceptedJob.parse(answer)
    },
    uploaded: async (name: string, bytes: Uint8Array) =>
      Upload.parse(await (await upload(name, bytes)).json()),
    /** Polls until the job is no longer in progress. */
    async finished(jobId: string): Promise<ServiceJob> {
      for (;;) {
        const current = await job(jobId)
        if (!isInProgress(current.status)) return current
        await sleep(20)
      }
    },
    /** Polls until no job is running or queued. */
    async idle(): Promise<void> {
      for (;;) {
        const { processing, queueLength } = await list()
        if (!processing && queueLength === 0) return
        await sleep(20)
      }
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

async function firstLine(child: ChildProcess): Promise<z.infer<typeof Listening>> {
  if (!child.stdout) throw new Error('The service has no stdout')
  for await (const line of createInterface({ input: child.stdout })) {
    return Listening.parse(JSON.parse(line))
  }
  throw new Error('The service exited without reporting its address')
}

/** Resolves with the address of a service that was just spawned. */
export const listeningAt = async (child: ChildProcess): Promise<string> => (await firstLine(child)).baseUrl

/** Reads a response that must be an error in the form of section 2. */
export async function errorOf(response: Response): Promise<{ status: number } & ApiError> {
  return { status: response.status, ...ApiError.parse(await response.json()) }
}

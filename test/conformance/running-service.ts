/** The built-in service as a process of its own, and what a test needs to talk to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { isInProgress } from '../../src/shared/api/job-status.ts'
import { AcceptedJob, ApiError, Job, JobList, Upload } from '../../src/shared/api/resources.ts'
import { SERVICE } from '../entries.ts'

export const API_KEY = 'a-key_that.only-this-test-knows-0123456789'

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })

export type RunningService = {
  readonly baseUrl: string
  readonly port: number
  /** A folder of this test alone; the service's data lies in `data` below it. */
  readonly folder: string
  readonly child: ChildProcess
  /** What has come on either stream so far. */
  stdout(): string
  stderr(): string
  /** A request with the key. */
  call(path: string, init?: RequestInit): Promise<Response>
  submit(body: unknown): Promise<Response>
  /** Submits what must be accepted. */
  accept(body: unknown): Promise<AcceptedJob>
  upload(name: string, bytes: Uint8Array, headers?: Record<string, string>): Promise<Response>
  uploaded(name: string, bytes: Uint8Array): Promise<Upload>
  job(jobId: string): Promise<Job>
  list(): Promise<JobList>
  /** Polls until the job is no longer in progress. */
  finished(jobId: string): Promise<Job>
  /** Polls until nothing is processed and nothing waits. */
  idle(): Promise<void>
  /** Ends the process and removes the folder. @returns the exit code */
  stop(): Promise<number | null>
}

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

/** @param prepare what is put into the data folder beforehand */
export async function startService(
  extra: readonly string[] = [],
  prepare: (dataDir: string) => Promise<void> = () => Promise.resolve(),
): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-service-'))
  await prepare(join(folder, 'data'))
  const child = spawnService(['--port', '0', '--data-dir', join(folder, 'data'), ...extra])
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (texts.stderr += String(chunk)))
  const { baseUrl } = await firstLine(child)
  const exited = once(child, 'exit')

  const call: RunningService['call'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${API_KEY}`)
    return fetch(`${baseUrl}${path}`, { ...init, headers })
  }
  const submit = (body: unknown) =>
    call('/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const upload: RunningService['upload'] = (name, bytes, headers = {}) =>
    call('/upload', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-filename': name, ...headers },
      body: new Uint8Array(bytes),
    })
  const list = async () => JobList.parse(await (await call('/jobs')).json())
  const job = async (jobId: string) => Job.parse(await (await call(`/jobs/${jobId}`)).json())

  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    folder,
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    call,
    submit,
    upload,
    list,
    job,
    async accept(body) {
      const response = await submit(body)
      const answer: unknown = await response.json()
      if (response.status !== 202) throw new Error(`${response.status}: ${JSON.stringify(answer)}`)
      return AcceptedJob.parse(answer)
    },
    async uploaded(name, bytes) {
      return Upload.parse(await (await upload(name, bytes)).json())
    },
    async finished(jobId) {
      for (;;) {
        const current = await job(jobId)
        if (!isInProgress(current.status)) return current
        await sleep(20)
      }
    },
    async idle() {
      for (;;) {
        const { processing, queueLength } = await list()
        if (!processing && queueLength === 0) return
        await sleep(20)
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await exited
      }
      await rm(folder, { recursive: true, force: true })
      return child.exitCode
    },
  }
}

async function firstLine(child: ChildProcess): Promise<z.infer<typeof Listening>> {
  if (!child.stdout) throw new Error('The service has no stdout')
  for await (const line of createInterface({ input: child.stdout })) {
    return Listening.parse(JSON.parse(line))
  }
  throw new Error('The service ended without saying where it listens')
}

/** Where a service that was just spawned listens. */
export const listeningAt = async (child: ChildProcess): Promise<string> => (await firstLine(child)).baseUrl

/** Reads an answer that must be an error, and be one in the form of section 2. */
export async function errorOf(response: Response): Promise<{ status: number } & ApiError> {
  return { status: response.status, ...ApiError.parse(await response.json()) }
}

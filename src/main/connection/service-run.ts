/** One run of the built-in service, from its start to its end. */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { describeEnd, startNode, type Child, type ChildEnd } from '../../node/child-process.ts'
import type { Timing } from '../../node/timing.ts'
import { Job } from '../../shared/api/resources.ts'

export type ServiceProcess = Child

export type SpawnService = (options: {
  readonly args: readonly string[]
  /** What clients must send. */
  readonly key: string
}) => ServiceProcess

/**
 * Starts the service with Node. Its key goes through a pipe: the environment of a process can be read by all programs of its
 * user, and is inherited.
 *
 * @param execPath a Node executable
 * @param entryPath the service's entry, absolute
 */
export const spawnService =
  (execPath: string, entryPath: string, nodeOptions: readonly string[] = []): SpawnService =>
  ({ args, key }) =>
    startNode(entryPath, {
      execPath,
      nodeOptions,
      args: [...args, '--key-stdin'],
      input: `${key}\n`,
    })

/** What whoever starts it is about to submit, for the service to be ready for it. */
export type ExpectedWork = {
  /** Of the file that comes first. */
  readonly media: 'image' | 'video'
  /** Absolute: the results go there. */
  readonly into: string
}

export type ServiceRun = {
  /** Told once, with the base URL; never where the process ends before it listens. */
  onListening(listener: (baseUrl: string) => void): void
  /** Told each time that one of its jobs has ended. */
  onJobEnded(listener: () => void): void
  /** What has become of its jobs, where it has ended in order; undefined before, and after a crash. */
  lastJobs(): readonly Job[] | undefined
  /** Resolves with how it ended, for a person. The key is never part of it. */
  readonly ended: Promise<string>
  /** Asks it to end, and ends it when it takes longer than so many ms. */
  stop(patience: number): void
}

export type ServiceRunOptions = {
  readonly spawn: SpawnService
  readonly dataDir: string
  readonly port: number
  readonly key: string
  readonly expected?: ExpectedWork | undefined
  /** ms until it has to listen. */
  readonly patience: number
  readonly after: Timing['after']
}

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })
const JobEnded = z.object({ event: z.literal('jobEnded') })
const Ended = z.object({ event: z.literal('ended'), jobs: z.array(Job) })

/** Starts it. A process that says something else first, or nothing in time, is ended. */
export function startServiceRun(options: ServiceRunOptions): ServiceRun {
  const { spawn, dataDir, port, key, expected, patience, after } = options
  const process = spawn({
    args: [
      '--port',
      String(port),
      '--data-dir',
      dataDir,
      '--exit-with-parent',
      ...(expected === undefined ? [] : ['--expect', expected.media, '--results-into', expected.into]),
    ],
    key,
  })
  const listening = Promise.withResolvers<string>()
  const cancelKill = after(patience, () => process.kill())
  let lastJobs: readonly Job[] | undefined
  let jobEnded: (() => void) | undefined
  const lines = createInterface({ input: process.stdout }).once('line', (line) => {
    const baseUrl = read(Listening, line)?.baseUrl
    if (baseUrl === undefined) return process.kill()
    cancelKill()
    listening.resolve(baseUrl)
    lines.on('line', (later) => {
      if (read(JobEnded, later) === undefined) lastJobs = read(Ended, later)?.jobs ?? lastJobs
      else jobEnded?.()
    })
  })
  const ended = process.ended.then((end) => {
    cancelKill()
    return reasonOf(end).replaceAll(key, '…')
  })
  return {
    onListening: (listener) => void listening.promise.then(listener),
    onJobEnded(listener) {
      jobEnded = listener
    },
    lastJobs: () => lastJobs,
    ended,
    stop(patienceToEnd) {
      process.terminate()
      const cancel = after(patienceToEnd, () => process.kill())
      void ended.then(cancel)
    },
  }
}

/** Undefined where the line says something else. */
function read<Said>(schema: z.ZodType<Said>, line: string): Said | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** With what the process said last. */
function reasonOf(end: ChildEnd): string {
  const lastLine = end.stderrTail.split('\n').at(-1)?.trim().slice(0, 500) ?? ''
  return lastLine === '' ? describeEnd(end) : `${describeEnd(end)}: ${lastLine}`
}

/** Whether a service could listen there. */
export function isFreePort(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}

/** Manages one process of the built-in service, from start to end. */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { describeEnd, startNode, type ChildEnd, type NodeChild } from '../../node/child-process.ts'
import type { Timing } from '../../node/timing.ts'
import type { Steering } from '../../shared/steering.ts'
import { Job } from '../../shared/api/resources.ts'

export type ServiceProcess = NodeChild

export type SpawnService = (options: {
  readonly args: readonly string[]
  /** The key that clients must send. */
  readonly key: string
}) => ServiceProcess

/**
 * Starts the service with Node. The key is passed through a pipe because other programs of the same user can read a process's
 * environment, and child processes inherit it.
 * @param execPath a Node executable
 * @param entryPath the service's entry point, absolute
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

export type ServiceRun = {
  /** Calls the listener once with the base URL. Never called if the process ends before it starts listening. */
  onListening(listener: (baseUrl: string) => void): void
  /** Calls the listener whenever a job ends. */
  onJobEnded(listener: () => void): void
  /** Tells the service how to run its jobs. */
  steer(steering: Steering): void
  /** Returns the final state of the service's jobs after an orderly exit; none before the exit and after a crash. */
  lastJobs(): readonly Job[]
  /** Resolves with a description of how the process ended. Never contains the key. */
  readonly ended: Promise<string>
  /** Asks the process to exit and kills it after `patience` ms. */
  stop(patience: number): void
}

export type ServiceRunOptions = {
  readonly spawn: SpawnService
  readonly dataDir: string
  readonly port: number
  readonly key: string
  /** How long the service may take to start listening, in ms. */
  readonly patience: number
  readonly after: Timing['after']
}

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })
const JobEnded = z.object({ event: z.literal('jobEnded') })
const Ended = z.object({ event: z.literal('ended'), jobs: z.array(Job) })

/** Starts the process. Kills it if its first line isn't the expected one or doesn't arrive in time. */
export function startServiceRun(options: ServiceRunOptions): ServiceRun {
  const { spawn, dataDir, port, key, patience, after } = options
  const process = spawn({
    args: ['--port', String(port), '--data-dir', dataDir, '--exit-with-parent'],
    key,
  })
  const listening = Promise.withResolvers<string>()
  const cancelKill = after(patience, () => process.kill())
  let lastJobs: readonly Job[] = []
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
    steer: (steering) => process.writeLine(JSON.stringify(steering)),
    lastJobs: () => lastJobs,
    ended,
    stop(patienceToEnd) {
      process.terminate()
      const cancel = after(patienceToEnd, () => process.kill())
      void ended.then(cancel)
    },
  }
}

/** Returns undefined if the line doesn't match the schema. */
function read<Said>(schema: z.ZodType<Said>, line: string): Said | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** Describes how the process ended, including its last line on stderr. Ignores JSON log lines. */
function reasonOf(end: ChildEnd): string {
  const lines = end.stderrTail.split('\n').filter((line) => !line.startsWith('{'))
  const lastLine = lines.at(-1)?.trim().slice(0, 500) ?? ''
  return lastLine === '' ? describeEnd(end) : `${describeEnd(end)}: ${lastLine}`
}

/** Whether a service could listen on the port. */
export function isFreePort(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}

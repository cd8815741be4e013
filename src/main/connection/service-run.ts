/** Manages one process of the built-in service until it ends. This owner has started the process or taken it over from an earlier owner. */
import { createInterface } from 'node:readline'
import { describeEnd, startNode, type ChildEnd, type NodeChild } from '../../node/child-process.ts'
import type { Timing } from '../../node/timing.ts'
import { PROGRAM_VERSION } from '../../node/version.ts'
import type { Steering } from '../../shared/steering.ts'
import { loadHttpClient } from '../service-api/index.ts'
import { connectService, type ServiceLink } from './service-link.ts'

export type SpawnService = (options: { readonly args: readonly string[] }) => NodeChild

/**
 * Starts the service with Node.
 * @param execPath a Node executable
 * @param entryPath the service's entry point, absolute
 */
export const spawnService =
  (execPath: string, entryPath: string, nodeOptions: readonly string[] = []): SpawnService =>
  ({ args }) =>
    startNode(entryPath, { execPath, nodeOptions, args })

export type ServiceRun = ReturnType<typeof runOf>

export type ServiceRunOptions = {
  readonly spawn: SpawnService
  readonly dataDir: string
  /** How long the service may take to start listening, in ms. */
  readonly patience: number
  readonly after: Timing['after']
}

/** How long a service left by an earlier owner may take to respond, in ms. */
const LEFT_PATIENCE_MS = 20_000

/** @returns a usable service left by an earlier owner; undefined if there is none */
export async function findServiceRun({
  dataDir,
  after,
}: Pick<ServiceRunOptions, 'dataDir' | 'after'>): Promise<ServiceRun | undefined> {
  const link = await connectService(dataDir, after, LEFT_PATIENCE_MS)
  if (link === undefined) return undefined
  const ended = link.closed.then(() => 'the process ended')
  return runOf(Promise.resolve(link), { ended, kill: link.kill, terminate: nothing, release: nothing }, after)
}

const nothing = (): void => undefined

/** Starts the process. Kills it if its first line doesn't arrive in time, or if it can't be reached afterward. */
export function startServiceRun({ spawn, dataDir, patience, after }: ServiceRunOptions): ServiceRun {
  const process = spawn({ args: ['--port', '0', '--data-dir', dataDir, '--owner', PROGRAM_VERSION] })
  // The first request needs it, and nothing can be sent before the service listens. A failure is reported with that request.
  loadHttpClient().catch(() => undefined)
  const connected = Promise.withResolvers<ServiceLink>()
  let link: ServiceLink | undefined
  const cancelKill = after(patience, () => process.kill())
  async function connect(): Promise<void> {
    link = await connectService(dataDir, after, patience)
    if (link === undefined) return process.kill()
    cancelKill()
    connected.resolve(link)
    // Close the service's stdin. The open connection now shows the service whether its owner is alive.
    process.terminate()
  }
  createInterface({ input: process.stdout }).once('line', () => void connect())
  const ended = process.ended.then(async (end) => {
    cancelKill()
    await link?.closed
    return reasonOf(end)
  })
  return runOf(connected.promise, { ...process, ended }, after)
}

function runOf(
  connected: Promise<ServiceLink>,
  process: Pick<NodeChild, 'terminate' | 'kill' | 'release'> & { readonly ended: Promise<string> },
  after: Timing['after'],
) {
  let service: ServiceLink | undefined
  void connected.then((link) => (service = link))
  return {
    /** Resolves when the service listens. Never resolves if the process ends before that. */
    listening: connected as Promise<Pick<ServiceLink, 'serving' | 'mark'>>,
    onJobEnded: (listener: () => void) => void connected.then((link) => link.onJobEnded(listener)),
    steer: (steering: Steering) => void connected.then((link) => link.send({ type: 'steer', ...steering })),
    /** Returns the final state of the service's jobs after an orderly exit; none before the exit and after a crash. */
    lastJobs: () => service?.lastJobs() ?? [],
    /** Resolves with a description of how the process ended. Never contains the key. */
    ended: process.ended,
    /** Asks the process to exit. Kills it if it is still running after `patienceToEnd` ms. */
    stop(patienceToEnd: number): void {
      process.terminate()
      void connected.then((link) => link.send({ type: 'end' }))
      const cancel = after(patienceToEnd, () => process.kill())
      void process.ended.then(cancel)
    },
    /** Disconnects from the service without stopping it. The next owner can take it over. The service ends if no owner connects in time. */
    async leave(): Promise<void> {
      const link = await connected
      link.send({ type: 'leave' })
      await link.end()
      process.release()
    },
  }
}

/** Describes how the process ended, including its last line on stderr. Ignores JSON log lines. */
function reasonOf(end: ChildEnd): string {
  const lines = end.stderrTail.split('\n').filter((line) => !line.startsWith('{'))
  const lastLine = lines.at(-1)?.trim().slice(0, 500) ?? ''
  return lastLine === '' ? describeEnd(end) : `${describeEnd(end)}: ${lastLine}`
}

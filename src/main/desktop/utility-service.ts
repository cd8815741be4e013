/** The built-in service, and the workers it asks for, as utility processes of Electron. */
import type { UtilityProcess, ForkOptions } from 'electron'
import { PassThrough, type Readable } from 'node:stream'
import { END_OF_SERVICE, isFromService, type FromService, type ToService } from '../../shared/worker-relay.ts'
import { tailOf } from '../../node/child-process.ts'
import type { SpawnService } from '../connection/index.ts'

/** What is used of a utility process. */
export type Utility = Pick<UtilityProcess, 'pid' | 'stdout' | 'stderr' | 'postMessage'> & {
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'exit', listener: (code: number) => void): unknown
}

export type ForkUtility = (path: string, args: string[], options: ForkOptions) => Utility

export type UtilityServiceOptions = {
  readonly fork: ForkUtility
  readonly servicePath: string
  /** Workers are only started from this file. */
  readonly workerPath: string
}

const KILL_SIGNAL = 'SIGKILL'

export function spawnUtilityService(options: UtilityServiceOptions): SpawnService {
  return ({ args, key }) => {
    const service = options.fork(options.servicePath, [...args], {
      serviceName: 'Mediatray service',
      stdio: 'pipe',
      // A utility process has no stdin.
      env: { ...inherited(), MEDIATRAY_API_KEY: key },
    })
    const workers = relayWorkers(service, options)
    const stderrTail = tailOf(service.stderr)
    return {
      stdout: streamOf(service.stdout),
      ended: new Promise((resolve) => {
        service.once('exit', (code) => {
          workers.killAll()
          resolve({ code, signal: null, stderrTail: stderrTail() })
        })
      }),
      // Electron's own `kill()` is a signal, which Windows hasn't got: there it would end at once.
      terminate: () => service.postMessage(END_OF_SERVICE),
      kill: () => killAtOnce(service),
    }
  }
}

function relayWorkers(service: Utility, { fork, workerPath }: UtilityServiceOptions) {
  const workers = new Map<number, Utility>()
  let serviceLives = true
  const tell = (message: ToService) => {
    if (serviceLives) service.postMessage(message)
  }

  function start(id: number): void {
    const worker = fork(workerPath, [], {
      serviceName: 'Mediatray worker',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: inherited(),
    })
    workers.set(id, worker)
    const stderrTail = tailOf(worker.stderr)
    worker.on('message', (message: unknown) => tell({ relay: 'message', worker: id, message }))
    worker.once('exit', (code) => {
      workers.delete(id)
      tell({ relay: 'exit', worker: id, code, said: stderrTail() })
    })
  }

  function follow(message: FromService): void {
    switch (message.relay) {
      case 'start':
        start(message.worker)
        return
      case 'send':
        workers.get(message.worker)?.postMessage(message.message)
        return
      case 'kill': {
        const worker = workers.get(message.worker)
        if (worker !== undefined) killAtOnce(worker)
      }
    }
  }

  service.on('message', (message: unknown) => {
    if (isFromService(message)) follow(message)
  })
  return {
    killAll() {
      serviceLives = false
      for (const worker of workers.values()) killAtOnce(worker)
    },
  }
}

/** Electron's `kill()` asks; a process that hangs in a decoder does not hear. */
function killAtOnce(child: Utility): void {
  if (child.pid === undefined) return
  try {
    process.kill(child.pid, KILL_SIGNAL)
  } catch {
    // It has ended by itself in the meantime.
  }
}

const streamOf = (stream: NodeJS.ReadableStream | null): Readable =>
  stream === null ? new PassThrough().end() : new PassThrough().wrap(stream)

/** Node's own process type has more than a utility process takes. */
function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

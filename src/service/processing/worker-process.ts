/** A worker as its parent sees it, and the ordinary way to get one. */
import { fork as forkNode } from 'node:child_process'
import { isFromWorker, type FromWorker, type ToWorker } from '../../media/protocol.ts'

export type WorkerProcess = {
  send(message: ToWorker): void
  onMessage(listener: (message: FromWorker) => void): void
  /** Called once, also when the process could not be started. `said` is the end of what it wrote to stderr. */
  onExit(listener: (ending: WorkerEnding) => void): void
  /** Ends the process at once. */
  kill(): void
}

export type WorkerEnding = {
  readonly code: number | null
  readonly signal: string | null
  readonly said: string
}

export type Fork = (path: string, nodeArguments: readonly string[]) => WorkerProcess

const REMEMBERED_STDERR = 4_096

/** Runs the worker as a child of this process, on the same Node. */
export const forkWorker: Fork = (path, nodeArguments) => {
  const child = forkNode(path, [], {
    execPath: process.execPath,
    execArgv: [...nodeArguments],
    serialization: 'advanced',
    // The service's own stdout is a protocol with whoever started it: a worker must not write there.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: withoutKey(process.env),
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-REMEMBERED_STDERR)
  })
  let ended = false
  const listeners: ((ending: WorkerEnding) => void)[] = []
  const end = (code: number | null, signal: string | null) => {
    if (ended) return
    ended = true
    for (const listener of listeners) listener({ code, signal, said: said.trim() })
  }
  // 'close' comes after stderr has been read to its end; a process that never started only has 'error'.
  child.on('close', end)
  child.on('error', (error) => {
    said += error.message
    if (child.pid === undefined) end(null, null)
  })
  return {
    send(message) {
      // A process that has just died is reported by its exit.
      child.send(message, () => {})
    },
    onMessage(listener) {
      child.on('message', (message) => {
        if (isFromWorker(message)) listener(message)
      })
    },
    onExit: (listener) => void listeners.push(listener),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Media code needs no secrets. */
function withoutKey(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { MEDIATRAY_API_KEY: _key, ...rest } = environment
  return rest
}

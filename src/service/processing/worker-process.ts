/** A worker as its parent sees it, and the ordinary way to get one. */
import { type FromWorker, isFromWorker, type ToWorker } from '../../media/protocol.ts'
import { type ChildEnd, startWorker } from '../../node/child-process.ts'
import type { Confinement } from '../../node/confinement.ts'

export type WorkerProcess = {
  send(message: ToWorker): void
  onMessage(listener: (message: FromWorker) => void): void
  /** Called once, also when the process could not be started. */
  onExit(listener: (ending: WorkerEnding) => void): void
  /** Ends the process at once. */
  kill(): void
}

export type WorkerEnding = Pick<ChildEnd, 'code' | 'signal' | 'stderrTail'>

export type WorkerStart = {
  /** The worker's entry. */
  readonly path: string
  /** Absolute: the only folder that the worker may write to. */
  readonly folder: string
  readonly confinement: Confinement
}

export type Fork = (start: WorkerStart) => WorkerProcess

/** Runs the worker as a child of this process, on the same Node. */
export const forkWorker: Fork = ({ path, folder, confinement }) => {
  const { wrapper, nodeOptions, env } = confinement.startFor([folder])
  const child = startWorker(path, { wrapper, nodeOptions, env: { ...process.env, ...env } })
  return {
    send: child.send,
    onMessage: (listener) =>
      child.onMessage((message) => {
        if (isFromWorker(message)) listener(message)
      }),
    onExit(listener) {
      void child.ended.then(({ code, signal, stderrTail, startError }) =>
        listener({ code, signal, stderrTail: startError?.message ?? stderrTail }),
      )
    },
    kill: child.kill,
  }
}

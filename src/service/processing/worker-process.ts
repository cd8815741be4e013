/** A worker as its parent sees it, and the ordinary way to get one. */
import { type FromWorker, isFromWorker, type ToWorker } from '../../media/protocol.ts'
import { type ChildEnd, startWorker } from '../../node/child-process.ts'

export type WorkerProcess = {
  send(message: ToWorker): void
  onMessage(listener: (message: FromWorker) => void): void
  /** Called once, also when the process could not be started. */
  onExit(listener: (ending: WorkerEnding) => void): void
  /** Ends the process at once. */
  kill(): void
}

export type WorkerEnding = Pick<ChildEnd, 'code' | 'signal' | 'stderrTail'>

export type Fork = (path: string, nodeArguments: readonly string[]) => WorkerProcess

/** Runs the worker as a child of this process, on the same Node. */
export const forkWorker: Fork = (path, nodeArguments) => {
  const child = startWorker(path, { nodeOptions: nodeArguments })
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

/**
 * Makes a whole file, by the very worker that makes results, at low priority. No encoder can be stopped on its way, so the
 * worker is ended when its file is not wanted any more.
 */
import type { FinishedFile, WorkerTask } from '../../media/protocol.ts'
import { type JobWorker, removeTemporaryFiles } from '../../media/start-worker.ts'

export type Made =
  | {
      readonly kind: 'made'
      readonly file: FinishedFile
      /** From reading to saving. */ readonly milliseconds: number
    }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }
  /** The worker has ended by itself. */
  | { readonly kind: 'ended' }

export interface Maker {
  /** Whatever it was making is stopped. Never rejects. */
  make(task: WorkerTask): Promise<Made>
  stop(): void
}

type Running = {
  readonly task: WorkerTask
  readonly resolve: (made: Made) => void
  begun: number | undefined
}

/** @param monotonic ms */
export function createMaker(start: () => JobWorker, monotonic: () => number): Maker {
  let worker: JobWorker | undefined
  let running: Running | undefined

  function settle(made: Made): void {
    running?.resolve(made)
    running = undefined
  }

  function follow(started: JobWorker): JobWorker {
    started.onMessage((message) => {
      if (worker !== started || running === undefined) return
      // The first word comes when the worker has loaded what it needs, which a job pays only once.
      running.begun ??= monotonic()
      if (message.kind === 'finished')
        settle({ kind: 'made', file: message.file, milliseconds: monotonic() - running.begun })
      else if (message.kind === 'failed') settle({ kind: 'failed', reason: message.reason })
      else if (message.kind === 'stopped') settle({ kind: 'stopped' })
    })
    started.onExit(() => {
      if (worker !== started) return
      worker = undefined
      if (running !== undefined) void removeTemporaryFiles(running.task)
      settle({ kind: 'ended' })
    })
    return started
  }

  function stop(): void {
    if (running === undefined) return
    const { task } = running
    const ended = worker
    worker = undefined
    // Not before: until then it may begin another file.
    ended?.onExit(() => void removeTemporaryFiles(task))
    ended?.kill()
    settle({ kind: 'stopped' })
  }

  return {
    make(task) {
      stop()
      const { promise, resolve } = Promise.withResolvers<Made>()
      running = { task, resolve, begun: undefined }
      worker ??= follow(start())
      worker.send({ kind: 'run', task })
      return promise
    },
    stop() {
      stop()
      worker?.kill()
      worker = undefined
    },
  }
}

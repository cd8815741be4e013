/**
 * Makes a whole file, by the very worker that makes results, at low priority. No encoder can be stopped on its way, so the
 * worker is ended when its file is not wanted any more.
 */
import { stat } from 'node:fs/promises'
import type { FileForecast, FinishedFile, WorkerTask } from '../../media/protocol.ts'
import type { LeastSize } from '../../shared/model/preview.ts'
import { type JobWorker, removeTemporaryFiles } from '../../media/start-worker.ts'

export type Made =
  | {
      readonly kind: 'made'
      readonly file: FinishedFile
      /** From reading to saving. */ readonly milliseconds: number
    }
  | NotMade

export type NotMade =
  | { readonly kind: 'failed'; readonly reason: string; readonly least?: LeastSize }
  | { readonly kind: 'stopped' }
  /** The worker has ended by itself. */
  | { readonly kind: 'ended' }

export type Reckoned = { readonly kind: 'reckoned'; readonly forecast: FileForecast } | NotMade

/** Whatever it was doing is stopped by the next. Never rejects. */
export interface Maker {
  make(task: WorkerTask): Promise<Made>
  /** What the file would come to; nothing is kept. */
  reckon(task: WorkerTask): Promise<Reckoned>
  stop(): void
}

type Answer = Made | Reckoned
type Running = {
  readonly task: WorkerTask
  readonly resolve: (answer: Answer) => void
  begun: number | undefined
}

/** @param monotonic ms */
export function createMaker(start: () => JobWorker, monotonic: () => number): Maker {
  let worker: JobWorker | undefined
  let running: Running | undefined

  function settle(answer: Answer): void {
    running?.resolve(answer)
    running = undefined
  }

  function follow(started: JobWorker): JobWorker {
    started.onMessage((message) => {
      if (worker !== started || running === undefined) return
      // The first word comes when the worker has loaded what it needs, which a job pays only once.
      running.begun ??= monotonic()
      if (message.kind === 'finished')
        settle({ kind: 'made', file: message.file, milliseconds: monotonic() - running.begun })
      else if (message.kind === 'forecast') settle({ kind: 'reckoned', forecast: message.forecast })
      else if (message.kind === 'failed') {
        const { kind, reason, least } = message
        settle({ kind, reason, ...(least === undefined ? {} : { least }) })
      } else if (message.kind === 'stopped') settle({ kind: 'stopped' })
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

  function ask(kind: 'run' | 'forecast', task: WorkerTask): Promise<Answer> {
    stop()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    running = { task, resolve, begun: undefined }
    worker ??= follow(start())
    worker.send({ kind, task })
    return promise
  }

  return {
    async make(task) {
      const answer = await ask('run', task)
      return answer.kind === 'reckoned' ? { kind: 'ended' } : answer
    },
    async reckon(task) {
      const answer = await ask('forecast', task)
      return answer.kind === 'made' ? { kind: 'ended' } : answer
    },
    stop() {
      stop()
      worker?.kill()
      worker = undefined
    },
  }
}

let filesMade = 0

/** @param folder absolute: the only one that the worker may write to */
export const taskFor = ({
  path,
  recipe,
  neverLarger,
  folder,
}: Pick<WorkerTask, 'recipe' | 'neverLarger' | 'folder'> & { readonly path: string }): WorkerTask => ({
  inputPath: path,
  folder,
  temporaryPrefix: `preview-${++filesMade}`,
  recipe,
  variation: undefined,
  neverLarger,
})

/** In bytes. */
export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

/** One worker of a pool and the task that it has. */
import type { JobWorker } from '../../media/start-worker.ts'
import type { WorkerEnding } from '../../node/confined-worker.ts'
import {
  type FinishedFile,
  ProcessingError,
  type ProcessingProgress,
  type Recipe,
  type WorkerTask,
} from '../../media/protocol.ts'

/** How whoever wants a file follows and stops its making. */
export type TaskControl = {
  readonly signal: AbortSignal
  onProgress(progress: ProcessingProgress): void
}

export type Work = {
  readonly task: WorkerTask
  readonly control: TaskControl
  readonly done: PromiseWithResolvers<FinishedFile>
}

/** A place in the pool with a worker of its own. Once the worker has gone, the slot has gone with it. */
export type Slot = {
  /** The only one that its worker may write to. */
  readonly folder: string
  readonly isFree: boolean
  readonly ended: Promise<void>
  give(work: Work): void
  /** Has the worker load what it needs for such files, and lets it go when no work comes. */
  prepare(media: Recipe['kind']): void
  /** Lets a worker go that has nothing to do. */
  leave(): void
  /** Ends the worker: at once where it has nothing to do, else as soon as it has let go of its task. */
  close(): void
}

export type SlotOptions = {
  readonly worker: JobWorker
  readonly folder: string
  /** How long the worker may have nothing to do, in ms. */
  readonly idleMs: number
  /** How long a stopped task may take to let go before its worker is killed, in ms. */
  readonly graceMs: number
  readonly log: (message: string) => void
  /** The slot can take the next task. */
  readonly onFree: () => void
  /** The worker has gone, or has been told to go: nothing may be given to it any more. */
  readonly onGone: () => void
}

type SlotState =
  | { readonly kind: 'idle'; readonly leaving: NodeJS.Timeout | undefined }
  | { readonly kind: 'busy'; readonly work: Work; readonly onAbort: () => void }
  | { readonly kind: 'gone' }

export function createSlot(options: SlotOptions): Slot {
  const { worker, folder, idleMs, graceMs, log, onFree, onGone } = options
  const ended = Promise.withResolvers<void>()
  let state: SlotState = { kind: 'idle', leaving: undefined }
  let isClosing = false
  let killing: NodeJS.Timeout | undefined

  const killSoon = (): void => {
    killing ??= setTimeout(() => worker.kill(), graceMs)
  }

  function becomeFree({ work, onAbort }: Extract<SlotState, { kind: 'busy' }>): void {
    work.control.signal.removeEventListener('abort', onAbort)
    clearTimeout(killing)
    killing = undefined
    state = { kind: 'idle', leaving: undefined }
    onFree()
    // `onFree` may have given the next task already.
    if (state.kind !== 'idle') return
    if (isClosing) endWorker()
    else leaveLater()
  }

  function leaveLater(): void {
    const leaving = setTimeout(leave, idleMs)
    leaving.unref()
    state = { kind: 'idle', leaving }
  }

  function leave(): void {
    if (state.kind !== 'idle') return
    clearTimeout(state.leaving)
    state = { kind: 'gone' }
    onGone()
    worker.send({ kind: 'end' })
  }

  function endWorker(): void {
    worker.send({ kind: 'end' })
    killSoon()
  }

  /** Fails the task that the worker had when it ended by itself. */
  function failTask(work: Work, ending: WorkerEnding): void {
    if (work.control.signal.aborted || isClosing) {
      work.done.reject(whyStopped(work))
      return
    }
    log(
      `A worker ended (${ending.signal ?? `code ${ending.code}`}) on ${work.task.inputPath}` +
        (ending.stderrTail === '' ? '' : `: ${ending.stderrTail}`),
    )
    work.done.reject(new ProcessingError(describeEnding(ending)))
  }

  worker.onMessage((message) => {
    if (state.kind !== 'busy' || message.kind === 'forecast') return // Nobody here asks for one.
    const { work } = state
    switch (message.kind) {
      case 'progress':
        if (!work.control.signal.aborted) work.control.onProgress(message.progress)
        return
      case 'finished':
        becomeFree(state)
        if (message.file.detail !== undefined) log(`${work.task.inputPath}: ${message.file.detail}`)
        return work.done.resolve(message.file)
      case 'stopped':
        becomeFree(state)
        return work.done.reject(whyStopped(work))
      case 'failed':
        becomeFree(state)
        if (message.detail !== undefined) log(`${work.task.inputPath}: ${message.detail}`)
        return work.done.reject(new ProcessingError(message.reason))
    }
  })
  worker.onExit((ending) => {
    const last = state
    state = { kind: 'gone' }
    clearTimeout(killing)
    if (last.kind === 'idle') clearTimeout(last.leaving)
    onGone()
    if (last.kind === 'busy') {
      last.work.control.signal.removeEventListener('abort', last.onAbort)
      failTask(last.work, ending)
    }
    ended.resolve()
  })

  return {
    folder,
    leave,
    get isFree() {
      return state.kind === 'idle'
    },
    ended: ended.promise,
    give(work) {
      if (state.kind === 'idle') clearTimeout(state.leaving)
      const onAbort = () => {
        worker.send({ kind: 'stop' })
        killSoon()
      }
      state = { kind: 'busy', work, onAbort }
      worker.send({ kind: 'run', task: work.task })
      work.control.signal.addEventListener('abort', onAbort, { once: true })
    },
    prepare(media) {
      worker.send({ kind: 'prepare', media })
      leaveLater()
    },
    close() {
      isClosing = true
      if (state.kind === 'busy') {
        worker.send({ kind: 'stop' })
        killSoon()
      } else {
        endWorker()
      }
    },
  }
}

/** A task is stopped by whoever wanted it, or because everything ends. */
function whyStopped({ control }: Work): unknown {
  return control.signal.aborted ? control.signal.reason : shuttingDown()
}

export const shuttingDown = () => new ProcessingError('The service is shutting down.')

function describeEnding({ code, signal }: WorkerEnding): string {
  // A program that started it in our stead tells the signal by the code.
  if (signal === 'SIGKILL' || code === 137)
    return 'The worker process was ended by the system while it had this file, most likely because memory ran out.'
  if (signal === 'SIGABRT' || code === 134)
    return 'The worker process crashed on this file (it gave up, possibly because memory ran out).'
  return `The worker process crashed on this file (${signal ?? `exit code ${code ?? 'unknown'}`}).`
}

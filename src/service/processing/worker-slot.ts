/** A worker of the pool and its current task. */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import type { JobWorker } from '../../media/start-worker.ts'
import type { WorkerEnding } from '../../node/confined-worker.ts'
import { signalOf, wasEndedFromOutside } from '../../node/ended-from-outside.ts'
import { type StallLimit, startStallLimit } from '../../node/stall-limit.ts'
import { ranOutOfMemory } from '../../node/memory-limit.ts'
import {
  type FromWorker,
  type FinishedFile,
  type ProcessingProgress,
  type ToWorker,
  type WorkerTask,
} from '../../media/protocol.ts'

/** How the owner of a task observes and stops it. */
export type TaskControl = {
  readonly signal: AbortSignal
  onProgress(progress: ProcessingProgress): void
}

/** The only folder that a worker may write to. */
export type ResultFolder = {
  readonly path: string
  /** Its device and inode, which tell it from another folder at the same path. */
  readonly identity: string
}

export type Work = {
  readonly task: WorkerTask
  readonly folder: ResultFolder
  readonly control: TaskControl
  readonly done: PromiseWithResolvers<FinishedFile>
  /** Whether a worker was ended from outside while it had this task. */
  wasInterrupted: boolean
}

/** A slot of the pool with its own worker. The pool removes it when the worker ends. */
export type Slot = {
  readonly folder: ResultFolder
  readonly isFree: boolean
  readonly ended: Promise<void>
  give(work: Work): void
  /** Passes a message on to the worker. */
  readonly tell: (message: Extract<ToWorker, { readonly kind: 'hold' | 'stepBack' }>) => void
  /** Ends the worker if it is idle. */
  leave(): void
  /** Ends the worker, immediately if it is idle, otherwise once its task has stopped. */
  close(): void
}

export type WorkerLimits = {
  /** How long the worker may be idle, in ms. */
  readonly idleMs: number
  /** How long a stopped task may take before the worker is killed, in ms. */
  readonly graceMs: number
  /** How often the time limit of a task is checked, in ms. */
  readonly tickMs?: number | undefined
  readonly log: (message: string) => void
}

type SlotOptions = WorkerLimits & {
  readonly worker: JobWorker
  readonly folder: ResultFolder
  /** Called with the worker's last message about its task when the slot can accept the next one. */
  readonly onFree: (outcome: FromWorker) => void
  /** Called when the worker has exited or was asked to exit, and accepts no more tasks. */
  readonly onGone: () => void
  /** Called with the task of a worker that was ended from outside, which says nothing about the file. */
  readonly onInterrupted: (work: Work) => void
}

type SlotState =
  | { readonly kind: 'idle'; readonly leaving: NodeJS.Timeout | undefined }
  | {
      readonly kind: 'busy'
      readonly work: Work
      readonly onAbort: () => void
      readonly limit: StallLimit
    }
  | { readonly kind: 'gone' }

type BusySlot = Extract<SlotState, { readonly kind: 'busy' }>

export function createSlot(options: SlotOptions): Slot {
  const { worker, folder, idleMs, graceMs, tickMs, log, onFree, onGone, onInterrupted } = options
  const ended = Promise.withResolvers<void>()
  let state: SlotState = { kind: 'idle', leaving: undefined }
  let isClosing = false
  let isStalled = false
  let killing: NodeJS.Timeout | undefined

  const killSoon = (): void => {
    killing ??= setTimeout(() => worker.kill(), graceMs)
  }

  function becomeFree({ work, onAbort, limit }: BusySlot, outcome: TaskMessage): void {
    limit.stop()
    work.control.signal.removeEventListener('abort', onAbort)
    clearTimeout(killing)
    killing = undefined
    state = { kind: 'idle', leaving: undefined }
    onFree(outcome)
    // `onFree` may already have assigned the next task.
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

  /** Fails the task if its worker has ended unexpectedly. The first time that someone else ended the worker, the task is repeated. */
  function failTask(work: Work, ending: WorkerEnding): void {
    if (work.control.signal.aborted || isClosing) {
      work.done.reject(whyStopped(work))
      return
    }
    log(endOf(work, ending))
    const isRepeated = !isStalled && saysNothing(ending) && !work.wasInterrupted
    work.wasInterrupted ||= isRepeated
    if (isRepeated) onInterrupted(work)
    else work.done.reject(new FailureError(isStalled ? failure('tookTooLong') : failureOf(ending)))
  }

  worker.onMessage((message) => {
    if (state.kind !== 'busy' || !isTaskMessage(message)) return
    const { work, limit } = state
    if (message.kind === 'progress') limit.progressed(message.progress.pixels)
    else becomeFree(state, message)
    passOn(work, message, log)
  })
  worker.onExit((ending) => {
    const last = state
    state = { kind: 'gone' }
    clearTimeout(killing)
    if (last.kind === 'idle') clearTimeout(last.leaving)
    onGone()
    if (last.kind === 'busy') {
      last.limit.stop()
      last.work.control.signal.removeEventListener('abort', last.onAbort)
      failTask(last.work, ending)
    }
    ended.resolve()
  })

  return {
    folder,
    leave,
    tell(message) {
      worker.send(message)
      if (message.kind === 'hold' && state.kind === 'busy') state.limit.hold(message.isHeld)
    },
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
      const onStall = () => {
        isStalled = true
        worker.kill()
      }
      const limit = startStallLimit(work.task.recipe.kind, onStall, tickMs)
      state = { kind: 'busy', work, onAbort, limit }
      worker.send({ kind: 'run', task: work.task })
      work.control.signal.addEventListener('abort', onAbort, { once: true })
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

type TaskMessage = Exclude<FromWorker, { readonly kind: 'estimate' | 'checked' | 'foreseen' }>

/** The service requests neither estimates nor checks, nor what results will lose. */
const isTaskMessage = (message: FromWorker): message is TaskMessage =>
  message.kind !== 'estimate' && message.kind !== 'checked' && message.kind !== 'foreseen'

function passOn(work: Work, message: TaskMessage, log: WorkerLimits['log']): void {
  const detail = detailOf(message)
  if (detail !== undefined) log(`${work.task.inputPath}: ${truncated(detail)}`)
  switch (message.kind) {
    case 'progress':
      if (!work.control.signal.aborted) work.control.onProgress(message.progress)
      return
    case 'finished':
      return work.done.resolve(message.file)
    case 'stopped':
      return work.done.reject(whyStopped(work))
    case 'failed':
      return work.done.reject(new FailureError(message.failure))
  }
}

const endOf = ({ task }: Work, { signal, code, stderrTail }: WorkerEnding): string =>
  `A worker ended (${signal ?? `code ${code}`}) on ${task.inputPath}${stderrTail === '' ? '' : `: ${stderrTail}`}`

/** Returns the message's details for the log. */
function detailOf(message: FromWorker): string | undefined {
  if (message.kind === 'finished') return message.file.detail
  return message.kind === 'failed' ? message.detail : undefined
}

const LONGEST_TEXT = 4_000

/**
 * Truncates text from a worker. Otherwise a compromised decoder could fill the service's memory with the reasons for thousands of
 * files.
 */
const truncated = (text: string): string => text.slice(0, LONGEST_TEXT)

/** Returns why a task was stopped: either its owner aborted it, or the service is shutting down. */
function whyStopped({ control }: Work): unknown {
  return control.signal.aborted ? control.signal.reason : shuttingDown()
}

export const shuttingDown = () => new FailureError(failure('shuttingDown'))

/** Whether someone else ended the worker, which says nothing about its file. */
const saysNothing = (ending: WorkerEnding): boolean => wasEndedFromOutside(ending) && !ranOutOfMemory(ending)

function failureOf(ending: WorkerEnding): Failure {
  const { code, signal, stderrTail } = ending
  if (code === null && signal === null) return failure('workerUnusable', { detail: stderrTail })
  if (ranOutOfMemory(ending)) return failure('notEnoughMemory')
  // If a signal ended the worker, the wrapper that started it reports the signal through the exit code.
  if (signal === 'SIGKILL' || code === 137) return failure('workerKilled')
  if (signal === 'SIGABRT' || code === 134) return failure('workerGaveUp')
  return failure('workerCrashed', { detail: signalOf(ending) ?? String(code) })
}

/**
 * A pool of up to `size` workers of one kind. Each has one task at a time. A worker may write to only one folder, so a task for another
 * folder needs another worker. A different folder or disk at the same path also needs another worker, because a sandbox keeps what was
 * mounted when the worker started.
 */
import type { FinishedFile, ProcessingProgress, WorkerTask } from '../../media/protocol.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { type SupervisedWorker, superviseWorker, WorkerEnded } from '../../media/supervise-worker.ts'
import type { WorkerEnding } from '../../node/child-process.ts'
import { signalOf, wasEndedFromOutside } from '../../node/ended-from-outside.ts'
import { exceededOwnLimit, ranOutOfMemory } from '../../node/memory-limit.ts'
import { removeFilesNamed } from '../../node/private-folder.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure, type FailureCode } from '../../shared/failure/failure.ts'
import type { Admission, Need } from './admission.ts'

/** How the owner of a task observes and stops it. */
export type TaskControl = {
  readonly signal: AbortSignal
  readonly onProgress: (progress: ProcessingProgress) => void
  /** The task's turn among the tasks of its job. Without one, the task is admitted as soon as it is prepared. */
  readonly turn?: {
    /** Resolves when the earlier tasks have been queued or have failed. */
    readonly comes: () => Promise<void>
    /** Called when the task is queued. */
    readonly pass: () => void
  }
}

/** The only folder that a worker may write to. */
export type ResultFolder = {
  readonly path: string
  /** The folder's device, inode and time of creation, which distinguish it from another folder at the same path. */
  readonly identity: string
}

export type PoolOptions = {
  /** How long a worker may be idle, in ms. */
  readonly idleMs: number
  /** How long a stopped task may take before its worker is killed, in ms. */
  readonly graceMs: number
  /** How often the time limit of a task is checked, in ms. */
  readonly tickMs: number | undefined
  readonly log: (message: string) => void
}

/** A place in the pool. Its worker may write only to its folder. */
type Slot = {
  folder: ResultFolder
  readonly worker: SupervisedWorker
  isBusy: boolean
}
/**
 * @param size maximum number of tasks that `admission` lets run at the same time
 * @param start starts a worker that may write to only one folder, at low disk priority if `isLow`
 */
export function createWorkerPool(
  size: number,
  admission: Admission,
  start: (folder: string, isLow: boolean) => WorkerProcess,
  { log, ...limits }: PoolOptions,
) {
  const slots = new Set<Slot>()
  const closing = new AbortController()
  let isHeld = false
  let isLow = false

  function openSlot(folder: ResultFolder): Slot {
    const startForSlot = () => {
      const worker = start(slot.folder.path, isLow)
      if (isLow) worker.send({ kind: 'stepBack', step: 'whole' })
      if (isHeld) worker.send({ kind: 'hold', isHeld })
      return worker
    }
    const slot: Slot = {
      folder,
      worker: superviseWorker(startForSlot, { ...limits, repeats }),
      isBusy: false,
    }
    slots.add(slot)
    return slot
  }

  /**
   * Returns a free slot for the folder, or a new one if no slot is free or the pool has room. Otherwise, reassigns the free slot that was
   * assigned first.
   */
  function freeSlot(folder: ResultFolder): Slot {
    const free = [...slots].filter(({ isBusy }) => !isBusy)
    const [other] = free
    const matching = free.find((slot) => isSameFolder(slot.folder, folder))
    if (matching !== undefined) return matching
    if (other === undefined || slots.size < size) return openSlot(folder)
    other.worker.renew()
    other.folder = folder
    slots.delete(other)
    slots.add(other)
    return other
  }

  function renewAll(): void {
    for (const { worker } of slots) worker.renew()
  }

  async function runOnce(
    task: WorkerTask,
    folder: ResultFolder,
    need: Need,
    control: TaskControl,
  ): Promise<FinishedFile> {
    const { hasHardware, leave } = await admission.enter(need, control.signal, (isShort) =>
      control.onProgress({ phase: isShort ? 'Waiting for memory' : 'Starting', share: 0 }),
    )
    const slot = freeSlot(folder)
    slot.isBusy = true
    try {
      return await runIn(slot.worker, hasHardware ? task : inSoftware(task), control, log)
    } catch (error) {
      if (error instanceof FailureError && maySeeEarlierFiles(error.failure)) renewAll()
      // Libraries keep part of the memory after a failure.
      if (lackedMemory(error)) slot.worker.renew()
      throw error
    } finally {
      slot.isBusy = false
      leave()
    }
  }

  return {
    /**
     * Queues a task immediately and runs it as soon as it is admitted. A task that lacked memory is repeated once, in a new worker and while
     * nothing else runs. If it rejects, the worker no longer uses the task's files.
     * @param folder the only folder that the worker may write to; contains the task's own folder
     * @param need what the task probably needs
     * @throws FailureError if the file can't be processed or its worker died; `signal.reason` if the task was stopped
     */
    async run(
      task: WorkerTask,
      folder: ResultFolder,
      need: Omit<Need, 'isAlone'>,
      control: TaskControl,
    ): Promise<FinishedFile> {
      const signal = AbortSignal.any([control.signal, closing.signal])
      signal.throwIfAborted()
      const once = (isAlone: boolean) => runOnce(task, folder, { ...need, isAlone }, { ...control, signal })
      try {
        return await once(false)
      } catch (error) {
        if (signal.aborted || !lackedMemory(error)) throw error
        return once(true)
      }
    },
    /** Pauses videos between two frames, or resumes them. Photos in progress are finished. */
    hold(next: boolean): void {
      if (next === isHeld) return
      isHeld = next
      for (const { worker } of slots) worker.hold(isHeld)
    },
    /** Ends idle workers, which keep memory. Busy ones end after their task. */
    renewAll,
    /**
     * Lowers the workers' priority or restores it. Replaces idle workers immediately, and busy ones after their task. A busy worker lowers
     * its CPU priority immediately, but can't raise it again.
     */
    lowerPriority(next: boolean): void {
      if (next === isLow) return
      isLow = next
      // Workers are replaced because disk priority is set only at their start, and CPU priority can't be raised again.
      if (isLow) for (const { worker } of slots) worker.stepBack('whole')
      renewAll()
    },
    /** Ends the workers. Running tasks fail. */
    async close(): Promise<void> {
      closing.abort(new FailureError(failure('shuttingDown')))
      await Promise.all([...slots].map(({ worker }) => worker.close()))
    },
  }
}

/** Returns the same task without hardware encoders. */
function inSoftware(task: WorkerTask): WorkerTask {
  const { recipe } = task
  if (recipe.kind === 'image') return task
  return { ...task, recipe: { ...recipe, video: { ...recipe.video, engine: 'software' } } }
}

async function runIn(
  worker: SupervisedWorker,
  task: WorkerTask,
  { signal, onProgress }: TaskControl,
  log: PoolOptions['log'],
): Promise<FinishedFile> {
  const logDetail = (detail: unknown) => {
    if (typeof detail === 'string') log(`${task.inputPath}: ${truncated(detail)}`)
  }
  async function onEnded(ended: WorkerEnding): Promise<void> {
    const { signal: killedBy, code, stderrTail } = ended
    const ending = `A worker ended (${killedBy ?? `code ${code}`}) on ${task.inputPath}`
    if (!signal.aborted) log(stderrTail === '' ? ending : `${ending}: ${stderrTail}`)
    // A repeated task, perhaps after a long wait for memory, needs the space of the unfinished result.
    await removeFilesNamed(task.temporaryPrefix, task.folder)
    if (repeats(ended)) onProgress({ phase: 'Starting', share: 0 })
  }
  try {
    const file = await worker.ask('make', task, { signal, media: task.recipe.kind, onProgress, onEnded })
    logDetail(file.detail)
    return file
  } catch (error) {
    if (error instanceof WorkerEnded) throw new FailureError(failureOf(error.ending), { cause: error })
    if (error instanceof FailureError) logDetail(error.cause)
    throw error
  }
}

const LACKS_MEMORY: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'workerKilled',
  'notEnoughMemory',
  'photoNeedsMemory',
])

/**
 * Returns whether the system killed the task's worker or didn't give it enough memory, probably because all processes together, or all
 * files of the worker, needed too much. A worker whose first file exceeded its limit would exceed it again.
 */
const lackedMemory = (error: unknown): boolean =>
  error instanceof FailureError &&
  LACKS_MEMORY.has(error.failure.code) &&
  !(error.cause instanceof WorkerEnded && exceededOwnLimit(error.cause.ending))

/** Returns whether a worker repeats its task immediately. After it was killed, the pool repeats the task alone. */
const repeats = (ending: WorkerEnding): boolean =>
  wasEndedFromOutside(ending) && signalOf(ending) !== 'SIGKILL' && !ranOutOfMemory(ending)

const isSameFolder = (one: ResultFolder, other: ResultFolder): boolean =>
  one.path === other.path && one.identity === other.identity

/** Returns whether a worker may have failed because its sandbox still contains the folders and disks that were mounted when it started. */
export const maySeeEarlierFiles = (why: Failure): boolean =>
  why.code === 'resultNotSavedIn' ||
  why.code === 'fileReplaced' ||
  (why.code === 'fileUnreadable' && why.values.reason.code === 'missing')

const LONGEST_TEXT = 4_000

/**
 * Truncates text from a worker before it is logged. Otherwise a compromised decoder could fill the log with the reasons for thousands of
 * files.
 */
const truncated = (text: string): string => text.slice(0, LONGEST_TEXT)

function failureOf(ending: WorkerEnding): Failure {
  const { code, signal, stderrTail } = ending
  if (code === null && signal === null) return failure('workerUnusable', { detail: stderrTail })
  if (ranOutOfMemory(ending)) return failure('notEnoughMemory')
  const name = signalOf(ending)
  if (name === 'SIGKILL') return failure('workerKilled')
  if (name === 'SIGABRT') return failure('workerGaveUp')
  return failure('workerCrashed', { detail: name ?? String(code) })
}

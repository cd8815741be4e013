/**
 * A pool of up to `size` worker processes of one kind. A worker starts when a task is waiting, runs one task at a time, and is
 * replaced if it dies. After some idle time it exits to free its memory. A worker may write to only one folder, so a task for
 * another folder needs another worker. So does a folder or a disk that has replaced another one at its path, because a sandbox keeps
 * those that were there when the worker started.
 */
import type { JobWorker } from '../../media/start-worker.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import type { FinishedFile, WorkerTask } from '../../media/protocol.ts'
import {
  createSlot,
  shuttingDown,
  type ResultFolder,
  type Slot,
  type TaskControl,
  type Work,
  type WorkerLimits,
} from './worker-slot.ts'

export type WorkerPool = {
  /**
   * Runs a task. If it rejects, the worker no longer uses the task's files.
   * @param folder the only folder that the worker may write to; contains the task's own folder
   * @throws FailureError if the file can't be processed or its worker died; `signal.reason` if the task was stopped
   */
  run(task: WorkerTask, folder: ResultFolder, control: TaskControl): Promise<FinishedFile>
  /** Pauses videos between two frames and starts no further tasks. Photos in progress are finished. */
  hold(isHeld: boolean): void
  /**
   * Sets the workers' priority. Idle workers are replaced. Busy ones lower their CPU priority at once, and are replaced after their
   * task to return to normal priority.
   */
  lowerPriority(isLow: boolean): void
  /** Ends the workers. Running tasks fail. */
  close(): Promise<void>
}

/** @param start starts a worker that may write to one folder only, at low disk priority if `isLow` */
export function createWorkerPool(
  size: number,
  start: (folder: string, isLow: boolean) => JobWorker,
  options: WorkerLimits,
): WorkerPool {
  const slots = new Set<Slot>()
  const waiting: Work[] = []
  let isClosed = false
  let isHeld = false
  let isLow = false
  /** Workers that get no further tasks, because they run at a low priority that no longer applies or may see earlier disks and folders. */
  const spent = new Set<Slot>()

  function openSlot(folder: ResultFolder): Slot {
    const slot: Slot = createSlot({
      ...options,
      worker: start(folder.path, isLow),
      folder,
      onFree(outcome) {
        if (outcome.kind === 'failed' && maySeeEarlierFiles(outcome.failure)) replaceAll()
        // The slot is free only after this call.
        if (spent.has(slot)) queueMicrotask(() => slot.leave())
        assignWork()
      },
      onInterrupted(work) {
        waiting.unshift(work)
        assignWork()
      },
      onGone() {
        slots.delete(slot)
        spent.delete(slot)
        assignWork()
      },
    })
    slots.add(slot)
    if (isLow) slot.tell({ kind: 'stepBack' })
    return slot
  }

  /** Gives no further task to any worker, and ends the idle ones. */
  function replaceAll(): void {
    // Ending a worker may start another one.
    const earlier = [...slots]
    for (const slot of earlier) {
      spent.add(slot)
      slot.leave()
    }
  }

  /** Assigns waiting tasks to free workers, and starts workers up to the size of the pool. */
  function assignWork(): void {
    if (isHeld) return
    while (waiting.length > 0) {
      const folder = waiting[0]?.folder
      if (folder === undefined) return
      const free = [...slots].filter((slot) => slot.isFree && !spent.has(slot))
      const matching = free.find((slot) => isSameFolder(slot.folder, folder))
      if (matching === undefined && isClosed) return
      if (matching === undefined && slots.size >= size) {
        // Ends an idle worker for another folder to make room. Its `onGone` calls this function again.
        free[0]?.leave()
        return
      }
      const work = waiting.shift()
      if (work === undefined) return
      if (work.control.signal.aborted) work.done.reject(work.control.signal.reason)
      else (matching ?? openSlot(folder)).give(work)
    }
  }

  return {
    async run(task, folder, control) {
      control.signal.throwIfAborted()
      if (isClosed) throw shuttingDown()
      const work: Work = { task, folder, control, done: Promise.withResolvers(), wasInterrupted: false }
      const giveUp = () => {
        const position = waiting.indexOf(work)
        if (position < 0) return
        waiting.splice(position, 1)
        work.done.reject(control.signal.reason)
      }
      control.signal.addEventListener('abort', giveUp, { once: true })
      waiting.push(work)
      assignWork()
      try {
        return await work.done.promise
      } finally {
        control.signal.removeEventListener('abort', giveUp)
      }
    },
    hold(next) {
      if (next === isHeld) return
      isHeld = next
      for (const slot of slots) slot.tell({ kind: 'hold', isHeld })
      assignWork()
    },
    lowerPriority(next) {
      if (next === isLow) return
      isLow = next
      // Disk priority is set only at the start, and CPU priority can't be raised again, so idle workers are replaced. Busy ones lower
      // their CPU priority at once.
      if (!isLow) return replaceAll()
      for (const slot of slots) {
        slot.tell({ kind: 'stepBack' })
        slot.leave()
      }
    },
    async close() {
      isClosed = true
      for (const work of waiting.splice(0)) work.done.reject(shuttingDown())
      const all = [...slots]
      for (const slot of all) slot.close()
      await Promise.all(all.map((slot) => slot.ended))
    },
  }
}

const isSameFolder = (one: ResultFolder, other: ResultFolder): boolean =>
  one.path === other.path && one.identity === other.identity

/** Whether a worker may have failed because its sandbox has the disks and folders that were mounted when it started. */
export const maySeeEarlierFiles = (why: Failure): boolean =>
  why.code === 'resultNotSavedIn' ||
  why.code === 'fileReplaced' ||
  (why.code === 'fileUnreadable' && why.values.reason.code === 'missing')

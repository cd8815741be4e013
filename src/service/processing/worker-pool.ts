/**
 * Up to `size` worker processes of one kind. A worker is started when there is work for it, does one task at a time, is
 * replaced when it dies, and leaves after a while with nothing to do, so that its memory goes back to the system. As a worker
 * may write to one folder only, work for another folder takes another worker.
 */
import type { JobWorker } from '../../media/start-worker.ts'
import type { FinishedFile, Recipe, WorkerTask } from '../../media/protocol.ts'
import { createSlot, shuttingDown, type Slot, type TaskControl, type Work } from './worker-slot.ts'

export type WorkerPool = {
  /**
   * @throws ProcessingError when the file can't be processed or its worker died; `signal.reason` when it was stopped.
   * Either way the worker has let go of the task's files.
   */
  run(task: WorkerTask, control: TaskControl): Promise<FinishedFile>
  /** Starts a worker for this folder before there is work for it, unless there are workers already. */
  prepare(media: Recipe['kind'], folder: string): void
  /** Ends the workers. Tasks still running fail. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  readonly size: number
  /** @param folder the only one that the worker may write to */
  readonly start: (folder: string) => JobWorker
  /** How long a worker may have nothing to do, in ms. */
  readonly idleMs: number
  /** How long a stopped task may take to let go before its worker is killed, in ms. */
  readonly graceMs: number
  readonly log: (message: string) => void
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { size, start, idleMs, graceMs, log } = options
  const slots = new Set<Slot>()
  const waiting: Work[] = []
  let isClosed = false

  function openSlot(folder: string): Slot {
    const slot: Slot = createSlot({
      worker: start(folder),
      folder,
      idleMs,
      graceMs,
      log,
      onFree: serve,
      onGone() {
        slots.delete(slot)
        serve()
      },
    })
    slots.add(slot)
    return slot
  }

  /** Gives what waits to whoever is free, and starts workers up to the size of the pool. */
  function serve(): void {
    while (waiting.length > 0) {
      const folder = waiting[0]?.task.folder ?? ''
      const free = [...slots].filter((slot) => slot.isFree)
      const fitting = free.find((slot) => slot.folder === folder)
      if (fitting === undefined && isClosed) return
      if (fitting === undefined && slots.size >= size) {
        // One that works for another folder makes room, and `onGone` brings us here again.
        free[0]?.leave()
        return
      }
      const work = waiting.shift()
      if (work === undefined) return
      if (work.control.signal.aborted) work.done.reject(work.control.signal.reason)
      else (fitting ?? openSlot(folder)).give(work)
    }
  }

  return {
    async run(task, control) {
      control.signal.throwIfAborted()
      if (isClosed) throw shuttingDown()
      const work: Work = { task, control, done: Promise.withResolvers() }
      const giveUp = () => {
        const position = waiting.indexOf(work)
        if (position < 0) return
        waiting.splice(position, 1)
        work.done.reject(control.signal.reason)
      }
      control.signal.addEventListener('abort', giveUp, { once: true })
      waiting.push(work)
      serve()
      try {
        return await work.done.promise
      } finally {
        control.signal.removeEventListener('abort', giveUp)
      }
    },
    prepare(media, folder) {
      if (!isClosed && slots.size === 0) openSlot(folder).prepare(media)
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

/**
 * Up to `size` worker processes of one kind. A worker is started when there is work for it, does one task at a time, is
 * replaced when it dies, and leaves after a while with nothing to do, so that its memory goes back to the system.
 */
import type { FinishedFile } from '../../media/protocol.ts'
import type { WorkerTask } from '../../media/protocol.ts'
import { ProcessingError } from '../../media/protocol.ts'
import { type ProcessingControl } from './processing.ts'
import type { WorkerEnding, WorkerProcess } from './worker-process.ts'

export type WorkerPool = {
  /**
   * @throws ProcessingError when the file can't be processed or its worker died; `signal.reason` when it was stopped.
   * Either way the worker has let go of the task's files.
   */
  run(task: WorkerTask, control: ProcessingControl): Promise<FinishedFile>
  /** Ends the workers. Tasks still running fail. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  readonly size: number
  readonly start: () => WorkerProcess
  /** How long a worker may have nothing to do, in ms. */
  readonly idleMs: number
  /** How long a stopped task may take to let go before its worker is killed, in ms. */
  readonly graceMs: number
  readonly log: (message: string) => void
}

type Seat = {
  readonly worker: WorkerProcess
  readonly ended: Promise<void>
  current: Work | undefined
  idle: NodeJS.Timeout | undefined
}

type Work = {
  readonly task: WorkerTask
  readonly control: ProcessingControl
  readonly done: PromiseWithResolvers<FinishedFile>
  grace: NodeJS.Timeout | undefined
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { size, start, idleMs, graceMs, log } = options
  const seats = new Set<Seat>()
  const waiting: Work[] = []
  let closed = false

  function openSeat(): Seat {
    const worker = start()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const seat: Seat = { worker, ended, current: undefined, idle: undefined }
    worker.onMessage((message) => {
      const work = seat.current
      if (work === undefined) return
      switch (message.kind) {
        case 'progress':
          if (!work.control.signal.aborted) work.control.onProgress(message.progress)
          return
        case 'finished':
          free(seat)
          return work.done.resolve(message.file)
        case 'stopped':
          free(seat)
          return work.done.reject(whyStopped(work))
        case 'failed':
          free(seat)
          if (message.detail !== undefined) log(`${work.task.inputPath}: ${message.detail}`)
          return work.done.reject(new ProcessingError(message.reason))
      }
    })
    worker.onExit((ending) => {
      const work = seat.current
      leave(seat)
      if (work !== undefined) bury(work, ending)
      resolve()
      serve()
    })
    seats.add(seat)
    return seat
  }

  function bury(work: Work, ending: WorkerEnding): void {
    if (work.control.signal.aborted || closed) return work.done.reject(whyStopped(work))
    log(
      `A worker ended (${ending.signal ?? `code ${ending.code}`}) on ${work.task.inputPath}` +
        (ending.said === '' ? '' : `: ${ending.said}`),
    )
    work.done.reject(new ProcessingError(describeEnding(ending)))
  }

  function leave(seat: Seat): void {
    clearTimeout(seat.idle)
    clearTimeout(seat.current?.grace)
    seat.current = undefined
    seats.delete(seat)
  }

  function free(seat: Seat): void {
    clearTimeout(seat.current?.grace)
    seat.current = undefined
    serve()
    if (seat.current !== undefined) return
    if (closed) return seat.worker.send({ kind: 'end' })
    seat.idle = setTimeout(() => {
      // Out of the set first: nothing can be given to a worker that has been told to go.
      leave(seat)
      seat.worker.send({ kind: 'end' })
    }, idleMs)
    seat.idle.unref()
  }

  function serve(): void {
    while (waiting.length > 0) {
      const seat = [...seats].find((seat) => seat.current === undefined)
      if (seat === undefined && (seats.size >= size || closed)) return
      const work = waiting.shift()
      if (work === undefined) return
      if (work.control.signal.aborted) work.done.reject(work.control.signal.reason)
      else give(seat ?? openSeat(), work)
    }
  }

  function give(seat: Seat, work: Work): void {
    clearTimeout(seat.idle)
    seat.current = work
    seat.worker.send({ kind: 'run', task: work.task })
    work.control.signal.addEventListener(
      'abort',
      () => {
        if (seat.current !== work) return
        seat.worker.send({ kind: 'stop' })
        work.grace = setTimeout(() => seat.worker.kill(), graceMs)
      },
      { once: true },
    )
  }

  return {
    async run(task, control) {
      control.signal.throwIfAborted()
      if (closed) throw shuttingDown()
      const work: Work = { task, control, done: Promise.withResolvers(), grace: undefined }
      const giveUp = () => {
        const place = waiting.indexOf(work)
        if (place < 0) return
        waiting.splice(place, 1)
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
    async close() {
      closed = true
      for (const work of waiting.splice(0)) work.done.reject(shuttingDown())
      const all = [...seats]
      for (const seat of all) {
        if (seat.current === undefined) seat.worker.send({ kind: 'end' })
        const grace = setTimeout(() => seat.worker.kill(), graceMs)
        void seat.ended.then(() => clearTimeout(grace))
        if (seat.current !== undefined) seat.worker.send({ kind: 'stop' })
      }
      await Promise.all(all.map((seat) => seat.ended))
    },
  }
}

/** A task is stopped by whoever wanted it, or because everything ends. */
function whyStopped({ control }: Work): unknown {
  return control.signal.aborted ? control.signal.reason : shuttingDown()
}

const shuttingDown = () => new ProcessingError('The service is shutting down.')

function describeEnding({ code, signal }: WorkerEnding): string {
  if (signal === 'SIGKILL')
    return 'The worker process was ended by the system while it had this file, most likely because memory ran out.'
  if (signal === 'SIGABRT' || code === 134)
    return 'The worker process crashed on this file (it gave up, possibly because memory ran out).'
  return `The worker process crashed on this file (${signal ?? `exit code ${code ?? 'unknown'}`}).`
}

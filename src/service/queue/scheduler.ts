/** One job at a time, first in first out (section 1). */
export type Scheduler<Job> = {
  /** The jobs that wait, the next one first. */
  readonly waiting: readonly Job[]
  readonly running: Job | undefined
  /** Starts the job, or lets it wait. @returns its position: 0 when it has started at once, else 1 for the next one */
  add(job: Job): number
  /** Takes a job that waits out of the line. */
  remove(job: Job): void
  /** Starts no job any more. @returns those that were waiting */
  close(): readonly Job[]
  /** Resolves when no job runs any more. */
  idle(): Promise<void>
}

/** @param run must not reject: what becomes of a job is its own business */
export function createScheduler<Job>(options: {
  readonly run: (job: Job) => Promise<void>
  /** A job has ended; just now none runs. */
  readonly onEnded: () => void
}): Scheduler<Job> {
  const { run, onEnded } = options
  const waiting: Job[] = []
  let running: Job | undefined
  let ended: Promise<void> = Promise.resolve()
  let isClosed = false

  function startNext(): void {
    if (running !== undefined || isClosed) return
    const next = waiting.shift()
    if (next === undefined) return
    running = next
    ended = run(next).finally(() => {
      running = undefined
      onEnded()
      startNext()
    })
  }

  return {
    waiting,
    get running() {
      return running
    },
    add(job) {
      waiting.push(job)
      startNext()
      return waiting.indexOf(job) + 1
    },
    remove(job) {
      const position = waiting.indexOf(job)
      if (position >= 0) waiting.splice(position, 1)
    },
    close() {
      isClosed = true
      return waiting.splice(0)
    },
    idle: () => ended,
  }
}

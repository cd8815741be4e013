/**
 * Processes single files at low priority in the worker that creates results: samples for an estimate, and previews of whole files.
 * An encoder can't be interrupted, so the worker is killed when the file it is processing is no longer needed.
 */
import { mkdirSync, rmSync } from 'node:fs'
import type { FinishedFile, FromWorker, WorkerTask } from '../../media/protocol.ts'
import { type JobWorker, removeTemporaryFiles } from '../../media/start-worker.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import type { WorkerEnding } from '../../node/confined-worker.ts'
import { wasEndedFromOutside } from '../../node/ended-from-outside.ts'
import { keepWorker } from '../../node/keep-worker.ts'
import { type StallLimit, startStallLimit } from '../../node/stall-limit.ts'
import type { Timing } from '../../node/timing.ts'
import { failure } from '../../shared/failure/failure.ts'
import { type PreviewFailed, UNKNOWN_FAILURE } from '../../shared/model/preview.ts'

export type Trial = Pick<WorkerTask, 'recipe' | 'neverLarger'> & {
  /** Absolute path of a file that is only read. */
  readonly path: string
  /** What the file was when it was added; absent to accept the one that is there now. */
  readonly identity?: FileIdentity | undefined
}

export type Processed = {
  readonly kind: 'finished'
  /** The caller must remove this file. */
  readonly file: FinishedFile
  /** Includes reading and saving, but not the worker's startup. */
  readonly milliseconds: number
}
export type Estimated = Extract<FromWorker, { readonly kind: 'estimate' }>
type Foreseen = Extract<FromWorker, { readonly kind: 'foreseen' }>

/** Runs one trial at a time. Every trial throws the signal's reason when the signal is aborted. */
export interface Trials {
  process(trial: Trial, signal: AbortSignal): Promise<Processed | PreviewFailed>
  /** Estimates the size of the result and the time to create it. Doesn't keep the result. */
  estimate(trial: Trial, signal: AbortSignal): Promise<Estimated | PreviewFailed>
  /** Reads from the file's header what the result will lose. */
  foresee(trial: Trial, signal: AbortSignal): Promise<Foreseen | PreviewFailed>
  /** Ends an idle worker early. */
  end(): void
  /** Ends the worker and removes the folder. */
  close(): void
}

export type TrialsOptions = {
  readonly start: () => JobWorker
  /** Absolute path of a dedicated folder. The worker can write only there. */
  readonly folder: string
  readonly timing: Pick<Timing, 'after' | 'monotonic'>
  /** How often the time limit of a trial is checked, in ms. */
  readonly tickMs?: number
}

/** How long an idle worker is kept, in ms. */
const IDLE_MS = 20_000

type Answer = Processed | Estimated | Foreseen | PreviewFailed
type Running = Pick<PromiseWithResolvers<Answer>, 'resolve'> & {
  readonly kind: 'run' | 'estimate' | 'foresee'
  readonly task: WorkerTask
  readonly limit: StallLimit
  begun: number | undefined
  /** Whether a worker was ended from outside during this trial. */
  wasInterrupted: boolean
}

export function createTrials({ start, folder, timing, tickMs }: TrialsOptions): Trials {
  let running: Running | undefined
  let cancelIdleTimer: (() => void) | undefined
  let trials = 0
  // Removes files left by a previous run that didn't shut down cleanly.
  removeFolder()

  function removeFolder(): void {
    rmSync(folder, { recursive: true, force: true })
  }

  const worker = keepWorker(
    () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return start()
    },
    {
      onMessage(message) {
        if (running === undefined) return
        // Start timing at the first message, when the worker has loaded its modules. A job loads them only once.
        running.limit.progressed(message.kind === 'progress' ? message.progress.pixels : undefined)
        running.begun ??= timing.monotonic()
        const answer = answerOf(message, timing.monotonic() - running.begun)
        if (answer !== undefined) running.resolve(answer)
      },
      onExit(ending) {
        if (running !== undefined) void afterExit(running, ending)
      },
    },
  )

  /** Repeats a trial once if someone else has ended its worker, which says nothing about the file. */
  async function afterExit(ended: Running, ending: WorkerEnding): Promise<void> {
    const isRepeated = !ended.wasInterrupted && wasEndedFromOutside(ending)
    ended.wasInterrupted = true
    await removeTemporaryFiles(ended.task)
    if (!isRepeated) return ended.resolve(UNKNOWN_FAILURE)
    if (running !== ended) return
    ended.begun = undefined
    worker.send({ kind: ended.kind, task: ended.task })
  }

  async function run(
    kind: Running['kind'],
    { path, identity, recipe, neverLarger }: Trial,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted()
    cancelIdleTimer?.()
    trials += 1
    const temporaryPrefix = `trial-${trials}`
    const task = {
      inputPath: path,
      identity,
      folder,
      temporaryPrefix,
      recipe,
      variation: undefined,
      neverLarger,
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const abort = () => {
      running = undefined
      worker.discard(() => void removeTemporaryFiles(task))
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    const onStall = () => {
      resolve({ kind: 'failed', failure: failure('tookTooLong') })
      worker.discard(() => void removeTemporaryFiles(task))
    }
    const limit = startStallLimit(recipe.kind, onStall, tickMs)
    running = { kind, task, resolve, limit, begun: undefined, wasInterrupted: false }
    worker.send({ kind, task })
    try {
      return await promise
    } finally {
      limit.stop()
      signal.removeEventListener('abort', abort)
      if (running?.task === task) running = undefined
      cancelIdleTimer?.()
      cancelIdleTimer = timing.after(IDLE_MS, worker.discard)
    }
  }

  return {
    async process(trial, signal) {
      const answer = await run('run', trial, signal)
      return answer.kind === 'finished' || answer.kind === 'failed' ? answer : UNKNOWN_FAILURE
    },
    async estimate(trial, signal) {
      const answer = await run('estimate', trial, signal)
      return answer.kind === 'estimate' || answer.kind === 'failed' ? answer : UNKNOWN_FAILURE
    },
    async foresee(trial, signal) {
      const answer = await run('foresee', trial, signal)
      return answer.kind === 'foreseen' || answer.kind === 'failed' ? answer : UNKNOWN_FAILURE
    },
    end() {
      cancelIdleTimer?.()
      worker.discard()
    },
    close() {
      cancelIdleTimer?.()
      worker.discard()
      removeFolder()
    },
  }
}

/** @returns undefined if the file isn't done yet */
function answerOf(message: FromWorker, milliseconds: number): Answer | undefined {
  switch (message.kind) {
    case 'progress':
      return undefined
    case 'finished':
      return { kind: 'finished', file: message.file, milliseconds }
    case 'estimate':
    case 'foreseen':
      return message
    case 'failed': {
      const { kind, failure, least } = message
      return { kind, failure, ...(least === undefined ? {} : { least }) }
    }
    case 'checked':
    case 'stopped':
      return UNKNOWN_FAILURE
  }
}

/**
 * Processes single files at low priority in a separate worker: samples for an estimate, and previews of whole files.
 * An encoder can't be interrupted, so the worker is killed when the file it is processing is no longer needed.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { DoesNotFit, type FinishedFile, type ResultOf, type WorkerTask } from '../../media/protocol.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { superviseWorker } from '../../media/supervise-worker.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import { removeFilesNamed } from '../../node/private-folder.ts'
import type { Timing } from '../../node/timing.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { type PreviewFailed, UNKNOWN_FAILURE } from '../../shared/model/preview.ts'

export type Trial = Pick<WorkerTask, 'recipe' | 'neverLarger' | 'keepBelowQuality'> & {
  /** Absolute path of a file that is only read. */
  readonly path: string
  /** Identity of the file that was added; absent to accept the file that is there now. */
  readonly identity?: FileIdentity | undefined
}

export type Processed = {
  readonly kind: 'finished'
  /** The caller must remove this file. */
  readonly file: FinishedFile
  /** Includes reading and saving, but not the worker's startup. */
  readonly milliseconds: number
}
export type Estimated = { readonly kind: 'estimate' } & ResultOf<'estimate'>
type Foreseen = { readonly kind: 'foreseen' } & ResultOf<'foresee'>

/** Start only one trial at a time. A trial rejects with the signal's reason when the signal is aborted, which kills the worker. */
export type Trials = ReturnType<typeof createTrials>

/** How long an idle worker is kept, in ms. */
const IDLE_MS = 20_000

type Done<Name extends 'make' | 'estimate' | 'foresee'> = {
  readonly kind: 'done'
  readonly result: ResultOf<Name>
  readonly milliseconds: number
}

export function createTrials(options: {
  readonly start: () => WorkerProcess
  /** Absolute path of a dedicated folder. The worker can write only there. */
  readonly folder: string
  readonly timing: Pick<Timing, 'monotonic'>
  /** How often the time limit of a trial is checked, in ms. */
  readonly tickMs?: number
}) {
  const { start, folder, timing, tickMs } = options
  let trials = 0
  // Removes files left by a previous run that didn't shut down cleanly.
  removeFolder()

  function removeFolder(): void {
    rmSync(folder, { recursive: true, force: true })
  }

  function startInFolder(): WorkerProcess {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return start()
  }

  const worker = superviseWorker(startInFolder, { idleMs: IDLE_MS, tickMs })

  async function run<Name extends 'make' | 'estimate' | 'foresee'>(
    name: Name,
    { path: inputPath, identity, recipe, neverLarger, keepBelowQuality }: Trial,
    signal: AbortSignal,
  ): Promise<Done<Name> | PreviewFailed> {
    trials += 1
    const temporaryPrefix = `trial-${trials}`
    const variation = undefined
    const task = {
      inputPath,
      identity,
      folder,
      temporaryPrefix,
      recipe,
      variation,
      neverLarger,
      keepBelowQuality,
    }
    let begun: number | undefined
    try {
      const result = await worker.ask(name, task, {
        signal,
        media: recipe.kind,
        // Start timing when the worker has loaded its modules. A job loads them only once.
        onProgress: () => (begun ??= timing.monotonic()),
        async onEnded() {
          begun = undefined
          await removeFilesNamed(temporaryPrefix, folder)
        },
      })
      const now = timing.monotonic()
      return { kind: 'done', result, milliseconds: now - (begun ?? now) }
    } catch (error) {
      signal.throwIfAborted()
      return failed(error)
    }
  }

  return {
    async process(trial: Trial, signal: AbortSignal): Promise<Processed | PreviewFailed> {
      const made = await run('make', trial, signal)
      if (made.kind === 'failed') return made
      return { kind: 'finished', file: made.result, milliseconds: made.milliseconds }
    },
    /** Estimates the size of the result and the time to create it. Doesn't keep the result. */
    async estimate(trial: Trial, signal: AbortSignal): Promise<Estimated | PreviewFailed> {
      const made = await run('estimate', trial, signal)
      return made.kind === 'failed' ? made : { kind: 'estimate', ...made.result }
    },
    /** Reads from the file's header what the result will lose. */
    async foresee(trial: Trial, signal: AbortSignal): Promise<Foreseen | PreviewFailed> {
      const made = await run('foresee', trial, signal)
      return made.kind === 'failed' ? made : { kind: 'foreseen', ...made.result }
    },
    /** Kills the worker. A running trial fails. */
    end: worker.discard,
    /** Kills the worker and removes the folder. */
    close(): void {
      worker.discard()
      removeFolder()
    },
  }
}

function failed(error: unknown): PreviewFailed {
  if (!(error instanceof FailureError)) return UNKNOWN_FAILURE
  const { failure } = error
  return { kind: 'failed', failure, ...(error instanceof DoesNotFit && { least: error.least }) }
}

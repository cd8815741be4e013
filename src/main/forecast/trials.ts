/**
 * Tries one file after the other in the worker that makes results, at low priority. Nothing of what it makes is kept. An
 * encoder can't be stopped on its way, so the worker is ended when its file is not wanted any more.
 */
import { mkdirSync, rmSync } from 'node:fs'
import type { FileForecast, Recipe } from '../../media/protocol.ts'
import type { JobWorker } from '../../media/start-worker.ts'

export type Trial = {
  /** Absolute. Only ever read. */
  readonly path: string
  readonly recipe: Recipe
  readonly neverLarger: boolean
}

/** What became of the file, and how long the worker took to start, in ms. */
export type Tried = FileForecast & { readonly startMs: number }

export interface Trials {
  /**
   * @returns null where the file can't be processed
   * @throws the signal's reason when it is aborted
   */
  run(trial: Trial, signal: AbortSignal): Promise<Tried | null>
  close(): void
}

export type TrialsOptions = {
  readonly start: () => JobWorker
  /** Absolute, of the app's own. Emptied at the start and at the end. */
  readonly folder: string
  /** How long the worker stays without work, in ms. */
  readonly idleMs?: number
  readonly after: (ms: number, run: () => void) => () => void
}

const IDLE_MS = 20_000

export function createTrials({ start, folder, idleMs = IDLE_MS, after }: TrialsOptions): Trials {
  let worker: JobWorker | undefined
  let settle: ((answer: Tried | null) => void) | undefined
  let cancelLeaving: (() => void) | undefined
  let trials = 0

  function follow(started: JobWorker): JobWorker {
    started.onMessage((message) => {
      if (worker !== started) return
      if (message.kind === 'forecast') settle?.({ ...message.forecast, startMs: message.startMs })
      if (message.kind === 'failed' || message.kind === 'stopped') settle?.(null)
    })
    started.onExit(() => {
      if (worker !== started) return
      worker = undefined
      settle?.(null)
    })
    return started
  }

  function end(): void {
    const ended = worker
    worker = undefined
    ended?.kill()
  }

  return {
    async run({ path, recipe, neverLarger }, signal) {
      signal.throwIfAborted()
      cancelLeaving?.()
      const done = Promise.withResolvers<Tried | null>()
      const giveUp = () => {
        end()
        done.reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      settle = done.resolve
      if (worker === undefined) {
        empty(folder)
        worker = follow(start())
      }
      trials += 1
      const temporaryPrefix = `trial-${trials}`
      worker.send({
        kind: 'forecast',
        task: { inputPath: path, folder, temporaryPrefix, recipe, variation: undefined, neverLarger },
      })
      try {
        return await done.promise
      } finally {
        signal.removeEventListener('abort', giveUp)
        settle = undefined
        cancelLeaving = after(idleMs, end)
      }
    },
    close() {
      cancelLeaving?.()
      end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What an ended worker has left behind goes. */
function empty(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

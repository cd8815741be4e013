/** Processing in which the test finishes each file and chooses its outcome. */
import { failure, type Failure } from '../../../src/shared/failure/failure.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import type { ProcessedFile, Processing, ProcessingTask } from '../../../src/service/processing/processing.ts'
import { createPauseGate } from '../../../src/node/pause-gate.ts'
import type { Loss } from '../../../src/shared/loss/loss.ts'
import type { ResultNote } from '../../../src/shared/result-notes.ts'
import type { TaskControl } from '../../../src/service/processing/worker-pool.ts'

export type RunningFile = {
  readonly task: ProcessingTask
  readonly control: TaskControl
  /** @param problem what is missing in the result */
  succeed(notes?: readonly ResultNote[], problem?: Failure, losses?: readonly Loss[]): void
  fail(reason: string): void
  crash(): void
}

export type ScriptedProcessing = Processing & {
  /** Files being processed, in starting order. */
  readonly running: RunningFile[]
  /** Everything started so far, as `name:variation`. */
  readonly started: string[]
}

/** Returns a failure with any detail text. */
export const odd = (detail: string): Failure => failure('fileUnexpected', { detail })

/** @param obedient whether a file stops on its own when asked to */
export function scriptedProcessing(parallel: number, obedient = true): ScriptedProcessing {
  const running: RunningFile[] = []
  const started: string[] = []
  const gate = createPauseGate()
  return {
    running,
    started,
    run(task, control) {
      started.push(`${task.inputPath}:${task.variation}`)
      const { promise, resolve, reject } = Promise.withResolvers<ProcessedFile>()
      const file: RunningFile = {
        task,
        control,
        succeed: (notes = [], problem, losses = []) =>
          resolve({
            outputPath: `${task.outputFolder}${task.inputPath}-${task.variation}`,
            notes,
            losses,
            problem,
          }),
        fail: (reason) => reject(new FailureError(odd(reason))),
        crash: () => reject(new TypeError('something unexpected')),
      }
      running.push(file)
      if (obedient) control.signal.addEventListener('abort', () => reject(control.signal.reason))
      return promise.finally(() => running.splice(running.indexOf(file), 1))
    },
    steer: ({ hold }) => gate.hold(hold),
    notHeld: gate.pass,
    parallelism: (kind) => (kind === 'image' ? parallel : 1),
    close: () => Promise.resolve(),
  }
}

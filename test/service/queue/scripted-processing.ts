/** Processing whose every file ends when, and as, the test says. */
import { ProcessingError } from '../../../src/media/protocol.ts'
import type { ProcessedFile, Processing, ProcessingTask } from '../../../src/service/processing/processing.ts'
import type { ResultNote } from '../../../src/shared/result-notes.ts'
import type { TaskControl } from '../../../src/service/processing/worker-slot.ts'

export type RunningFile = {
  readonly task: ProcessingTask
  readonly control: TaskControl
  succeed(notes?: readonly ResultNote[]): void
  fail(reason: string): void
  crash(): void
}

export type ScriptedProcessing = Processing & {
  /** What is being processed, in the order of starting. */
  readonly running: RunningFile[]
  /** Everything that was ever started, as `name:variation`. */
  readonly started: string[]
}

/** @param obedient whether a file stops by itself when it is told to */
export function scriptedProcessing(parallel: number, obedient = true): ScriptedProcessing {
  const running: RunningFile[] = []
  const started: string[] = []
  return {
    running,
    started,
    run(task, control) {
      started.push(`${task.inputPath}:${task.variation}`)
      const { promise, resolve, reject } = Promise.withResolvers<ProcessedFile>()
      const file: RunningFile = {
        task,
        control,
        succeed: (notes = []) =>
          resolve({ outputPath: `${task.outputFolder}${task.inputPath}-${task.variation}`, notes }),
        fail: (reason) => reject(new ProcessingError(reason)),
        crash: () => reject(new TypeError('something nobody thought of')),
      }
      running.push(file)
      if (obedient) control.signal.addEventListener('abort', () => reject(control.signal.reason))
      return promise.finally(() => running.splice(running.indexOf(file), 1))
    },
    expectFiles: () => Promise.resolve(),
    parallelism: (kind) => (kind === 'image' ? parallel : 1),
    close: () => Promise.resolve(),
  }
}

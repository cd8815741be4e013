/**
 * The module's contract: one input and one variation of it become one file. The queue knows only this; how a worker
 * process does it stays inside the module.
 */
import type { ProcessingProgress, Recipe } from '../../media/protocol.ts'
import type { VariationRanges } from '../presets/index.ts'

export type ProcessingTask = {
  /** Absolute. Only ever read. */
  readonly inputPath: string
  /** Absolute, exists. The result appears here under its last name only when it is whole. */
  readonly outputFolder: string
  readonly presetName: string
  readonly recipe: Recipe
  readonly ranges: VariationRanges
  /** 1-based. The first variation of several is varied too; with `variations` 1 nothing is. */
  readonly variation: number
  readonly variations: number
}

export type ProcessingControl = {
  readonly signal: AbortSignal
  onProgress(progress: ProcessingProgress): void
}

export interface Processing {
  /**
   * @returns the absolute path of the finished file
   * @throws ProcessingError when this file can't be processed; `signal.reason` when it was stopped
   */
  run(task: ProcessingTask, control: ProcessingControl): Promise<{ readonly outputPath: string }>
  /** How many tasks of this kind are worth running at the same time (a video uses the cores itself). */
  parallelism(kind: Recipe['kind']): number
  /** Stops what runs, removes what is half written, ends the workers. */
  close(): Promise<void>
}

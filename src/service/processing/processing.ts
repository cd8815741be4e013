/**
 * The room's contract: one input and one variation of it become one file. The queue knows only this; how a worker
 * process does it stays inside the room.
 */
import type { ImageRecipe, VariationRanges, VideoRecipe } from '../presets/index.ts'

export type Recipe =
  | { readonly kind: 'image'; readonly image: ImageRecipe }
  | { readonly kind: 'video'; readonly video: VideoRecipe }

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

export type ProcessingProgress = {
  /** The word a person sees, such as "Decoding", "Resizing", "Encoding". */
  readonly phase: string
  /** 0..1 of this file. */
  readonly share: number
}

export type ProcessingControl = {
  readonly signal: AbortSignal
  onProgress(progress: ProcessingProgress): void
}

/** A reason that a person can read, about one file. The rest of the batch goes on. */
export class ProcessingError extends Error {
  override readonly name = 'ProcessingError'
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

/** What a worker is given for one file, and what it hands back. Photos and videos follow the same shape. */
import type { ProcessingProgress } from './processing.ts'
import type { VariationValues } from './variation.ts'

export type FileJob<R> = {
  /** Absolute. Only ever read. */
  readonly inputPath: string
  readonly recipe: R
  /** undefined: the file as it is. */
  readonly variation: VariationValues | undefined
  /**
   * A hidden path in the output folder that nothing has yet. Whatever is left at one of these paths when the job ends is
   * removed from outside, even when the worker has crashed.
   *
   * @param extension without the dot
   */
  temporaryPath(extension: string): string
  onProgress(progress: ProcessingProgress): void
  /** Aborted when the job was stopped: reject with `signal.reason` soon, or be killed after a short grace. */
  readonly signal: AbortSignal
}

export type FinishedFile = {
  /** One of the job's temporary paths, holding the whole result. */
  readonly temporaryPath: string
  /** What the result is called by, without the dot. */
  readonly extension: string
}

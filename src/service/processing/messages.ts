/** Everything that the service and a worker process say to each other. */
import type { ImageRecipe, VideoRecipe } from '../presets/index.ts'
import type { FinishedFile } from './file-job.ts'
import type { ProcessingProgress } from './processing.ts'
import type { VariationValues } from './variation.ts'

export type WorkerTask = {
  readonly inputPath: string
  /** Every temporary file of the task lies in this folder and begins with `temporaryPrefix`. */
  readonly folder: string
  readonly temporaryPrefix: string
  readonly recipe:
    | { readonly kind: 'image'; readonly image: ImageRecipe }
    | { readonly kind: 'video'; readonly video: VideoRecipe }
  readonly variation: VariationValues | undefined
}

export type ToWorker =
  | { readonly kind: 'run'; readonly task: WorkerTask }
  | { readonly kind: 'stop' }
  | { readonly kind: 'end' }

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: ProcessingProgress }
  | { readonly kind: 'finished'; readonly file: FinishedFile }
  /** `reason` is for people; `detail`, where there is one, is for the log. */
  | { readonly kind: 'failed'; readonly reason: string; readonly detail: string | undefined }
  | { readonly kind: 'stopped' }

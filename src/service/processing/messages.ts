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

const fromWorkerKinds: ReadonlySet<unknown> = new Set<FromWorker['kind']>([
  'progress',
  'finished',
  'failed',
  'stopped',
])
const toWorkerKinds: ReadonlySet<unknown> = new Set<ToWorker['kind']>(['run', 'stop', 'end'])

// Both ends are of one version, so that the kind tells the rest.
export const isFromWorker = (message: unknown): message is FromWorker => fromWorkerKinds.has(kindOf(message))
export const isToWorker = (message: unknown): message is ToWorker => toWorkerKinds.has(kindOf(message))

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined
}

/**
 * The messages between a media process and its parent, and the types that both use.
 * This is the only file in `src/media` that other folders import, because everything else here loads decoders.
 */
import { FailureError } from '../shared/failure/failure-error.ts'
import type { Failure } from '../shared/failure/failure.ts'
import type { Area, Extent, LeastSize, PreviewVideo, PreviewView, Spot } from '../shared/model/preview.ts'
import type { ImageRecipe, VideoRecipe } from '../shared/preset/preset.ts'
import type { VariationValues } from '../shared/preset/variation.ts'
import type { FileIdentity } from '../node/file-identity.ts'
import type { PauseGate } from '../node/pause-gate.ts'
import type { ProcessingPhase } from '../shared/processing-phases.ts'
import type { Holdings } from '../shared/loss/foreseen.ts'
import type { Loss } from '../shared/loss/loss.ts'
import type { ResultNote } from '../shared/result-notes.ts'

export type Recipe =
  | { readonly kind: 'image'; readonly image: ImageRecipe }
  | { readonly kind: 'video'; readonly video: VideoRecipe }

export type ProcessingProgress = {
  readonly phase: ProcessingPhase
  /** From 0 to 1, for this file. */
  readonly share: number
  /** Of a photo: how many pixels to decode and encode in this phase. The parent's time limit grows with them. */
  readonly pixels?: number | undefined
}

/** The result can't be made as small as the recipe requires. */
export class DoesNotFit extends FailureError {
  readonly least: LeastSize
  constructor(failure: Failure, least: LeastSize) {
    super(failure)
    this.least = least
  }
}

/** The input of a worker for one file, whether photo or video. */
export type FileJob<R> = {
  /** Absolute path, of the file or of its open descriptor. Read only. */
  readonly inputPath: string
  readonly recipe: R
  /** undefined if no variation is applied. */
  readonly variation: VariationValues | undefined
  /**
   * Whether the original's bytes become the result. This applies if the recipe only compresses and the result wouldn't be smaller.
   */
  readonly neverLarger: boolean
  /**
   * Returns an unused path that can't be guessed. Every write needs a new path, because another user may have seen the path of an
   * earlier write. When the job ends, the parent removes any files left at these paths, even if the worker has crashed.
   * @param extension without the dot
   */
  temporaryPath(extension: string): string
  onProgress(progress: ProcessingProgress): void
  /**
   * Aborted when the job is stopped. The task must then reject with `signal.reason` within a short grace period, or its process is
   * killed.
   */
  readonly signal: AbortSignal
  /** Pauses a video between frames. A photo is always finished. */
  readonly pause?: PauseGate | undefined
}

export type FinishedFile = {
  /** One of the job's temporary paths. Holds the complete result. */
  readonly temporaryPath: string
  /** File extension of the result, without the dot. */
  readonly extension: string
  /** Upright dimensions, as displayed. For an animation, the dimensions of a single frame. */
  readonly width: number
  readonly height: number
  /** When the original was taken, as `captureDate` returns it. */
  readonly taken?: string | undefined
  /** Facts for the history, without duplicates. */
  readonly notes: readonly ResultNote[]
  /** What the original has and the result lacks, although the recipe didn't ask for that. */
  readonly losses: readonly Loss[]
  /** Missing parts of the result, if the input is damaged. The rest of the result is kept. */
  readonly problem?: Failure | undefined
  /** Details from a library, for the log only. */
  readonly detail?: string | undefined
}

export type WorkerTask = {
  readonly inputPath: string
  /** What the input was when it was accepted; absent if the worker accepts it. */
  readonly identity?: FileIdentity | undefined
  /** Private folder for all temporary files of the task. Their names begin with `temporaryPrefix`. */
  readonly folder: string
  readonly temporaryPrefix: string
  readonly recipe: Recipe
  readonly variation: VariationValues | undefined
  readonly neverLarger: boolean
}

/** Asks whether a result may replace its original. */
export type ResultCheck = {
  /** Absolute paths. Read only. */
  readonly original: string
  readonly result: string
  readonly kind: Recipe['kind']
  /** null if it is unknown, for example another service's preset. Then only completeness is checked. */
  readonly recipe: Recipe | null
}

/** The estimated result of one file. */
export type FileEstimate = {
  readonly bytes: number
  /** Processing time on an otherwise idle machine. */
  readonly milliseconds: number
  /** Relative uncertainty of both numbers; 0 if they were measured. */
  readonly spread: number
}

export type ToWorker =
  | { readonly kind: 'run'; readonly task: WorkerTask }
  /** Estimates the task's result without keeping any output. */
  | { readonly kind: 'estimate'; readonly task: WorkerTask }
  | { readonly kind: 'check'; readonly check: ResultCheck }
  /** Reads from the header what the task's result will lose. */
  | { readonly kind: 'foresee'; readonly task: WorkerTask }
  /** Pauses videos between two frames, until it is called again. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  /** Lowers the process's priority. It can't be raised again. */
  | { readonly kind: 'stepBack' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'end' }

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: ProcessingProgress }
  | { readonly kind: 'finished'; readonly file: FinishedFile }
  /** `startMs`: time from launching the process until it was ready for its first file. */
  | { readonly kind: 'estimate'; readonly estimate: FileEstimate; readonly startMs: number }
  | { readonly kind: 'checked'; readonly isGood: boolean }
  | { readonly kind: 'foreseen'; readonly losses: readonly Loss[]; readonly holds: Holdings }
  /** `detail` is for the log; `least` is the smallest result possible. */
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly detail: string | undefined
      readonly least?: LeastSize
    }
  | { readonly kind: 'stopped' }

const toWorkerKinds: ReadonlySet<unknown> = new Set<ToWorker['kind']>([
  'run',
  'estimate',
  'check',
  'foresee',
  'hold',
  'stepBack',
  'stop',
  'end',
])

// The worker trusts its parent, and both have the same version. Checking the kind is enough.
export const isToWorker = (message: unknown): message is ToWorker => toWorkerKinds.has(kindOf(message))

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined
}

/** Sent by the app to the thumbnail process. */
export type ThumbnailRequest = {
  readonly id: number
  /** Absolute path. Read only. */
  readonly path: string
  /** What the file was when it was accepted or checked; absent if the worker accepts it. */
  readonly identity?: FileIdentity | undefined
  /** Side length; the thumbnail is square and cropped. */
  readonly pixels: number
}

/** `webp` is null if the file can't be shown. */
export type ThumbnailAnswer = { readonly id: number; readonly webp: Uint8Array | null }

// As above, the worker trusts its parent.
export const isThumbnailRequest = (message: unknown): message is ThumbnailRequest =>
  hasId(message) && 'path' in message && 'pixels' in message

const hasId = (message: unknown): message is { readonly id: number } =>
  typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number'

/** Sent by the app to the preview process, which handles one request at a time and keeps the decoded file. */
export type PreviewRequest = {
  readonly id: number
  /** Absolute path of the original. Read only. */
  readonly path: string
  /** What the original was when it was accepted or checked; absent if the worker accepts it. */
  readonly identity?: FileIdentity | undefined
  /** Like `identity`, for the result. */
  readonly resultIdentity?: FileIdentity | undefined
  /** Whether the process lowers its priority below running jobs. */
  readonly givesWay: boolean
} & (
  | { readonly kind: 'part'; readonly recipe: ImageRecipe; readonly view: PreviewView }
  /** @param result absolute path of a job's result for the original */
  | { readonly kind: 'whole'; readonly recipe: ImageRecipe; readonly result: string }
  /** @param start in seconds; null for the section with the most motion */
  | { readonly kind: 'video'; readonly recipe: VideoRecipe; readonly start: number | null }
  /** @param result absolute path of a job's result for the original */
  | { readonly kind: 'videos'; readonly result: string; readonly start: number | null }
)

/** Both sides of a preview as PNG without metadata. */
export type ShownPixels = {
  readonly extent: Extent
  readonly original: Extent
  readonly area: Area
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** A sample encoded with a recipe. */
export type MadeVideo = {
  readonly video: PreviewVideo
  /** The recipe with the quality that reaches its goal. */
  readonly recipe: VideoRecipe
  /** Whether the original replaces the result because it is smaller. */
  readonly takesOriginal: boolean
}

export type PreviewAnswer =
  | { readonly id: number; readonly kind: 'part'; readonly pixels: ShownPixels; readonly middle: Spot }
  | { readonly id: number; readonly kind: 'whole'; readonly pixels: ShownPixels }
  | ({ readonly id: number; readonly kind: 'video' } & MadeVideo)
  | { readonly id: number; readonly kind: 'videos'; readonly video: PreviewVideo }
  | { readonly id: number; readonly kind: 'failed'; readonly failure: Failure }

// As above, the worker trusts its parent.
export const isPreviewRequest = (message: unknown): message is PreviewRequest =>
  hasId(message) && 'kind' in message && 'path' in message

/**
 * The requests and messages of a worker, and the types that it and its parent use.
 * Other folders import only this file, `start-worker.ts` and `supervise-worker.ts` of `src/media`, because the others load decoders.
 */
import { FailureError } from '../shared/failure/failure-error.ts'
import type { Failure } from '../shared/failure/failure.ts'
import type { Area, Extent, LeastSize, PreviewVideo, PreviewView, Spot } from '../shared/model/preview.ts'
import type { ImageRecipe, VideoRecipe } from '../shared/preset/preset.ts'
import type { VariationValues } from '../shared/preset/variation.ts'
import type { FileIdentity } from '../node/file-identity.ts'
import type { Step } from './lower-priority.ts'
import type { PauseGate } from '../node/pause-gate.ts'
import type { ProcessingPhase } from '../shared/processing-phases.ts'
import type { Foresight } from '../shared/loss/foreseen.ts'
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

type Original = {
  /** Absolute path. Read only. */
  readonly path: string
  /** What the file was when it was accepted or checked; absent if the worker accepts it. */
  readonly identity?: FileIdentity | undefined
}
/** `pixels` is the side length of the thumbnail, which is square and cropped. */
export type ThumbnailRequest = Original & { readonly pixels: number }
type Result = {
  /** Absolute path of a job's result for the original. */
  readonly result: string
  /** Like `identity`, for the result. */
  readonly resultIdentity?: FileIdentity | undefined
}
export type PartRequest = Original & { readonly recipe: ImageRecipe; readonly view: PreviewView }
export type WholeRequest = Original & Result & { readonly recipe: ImageRecipe }
/** `start` is in seconds; null for the section with the most motion. */
export type SampleRequest = Original & { readonly recipe: VideoRecipe; readonly start: number | null }
/** `start` is as in `SampleRequest`. */
export type ComparedVideos = Original & Result & { readonly start: number | null }

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

/** What a worker can be asked for: input and result. Any request may fail. */
export type Requests = {
  /** Creates a result. */
  make: [WorkerTask, FinishedFile]
  /** Estimates the task's result without keeping any output. `startMs`: time from launching the process until it was ready for its first file. */
  estimate: [WorkerTask, { readonly estimate: FileEstimate; readonly startMs: number }]
  /** Reads from the header what the task's result will lose. */
  foresee: [WorkerTask, Foresight]
  /** Returns whether a result may replace its original. */
  check: [ResultCheck, boolean]
  /** Creates a WebP image. */
  thumbnail: [ThumbnailRequest, Uint8Array<ArrayBuffer>]
  /** Shows the visible part of a photo. Previews keep the decoded photo for the next request. */
  part: [PartRequest, { readonly pixels: ShownPixels; readonly middle: Spot }]
  /** Shows a whole photo and its result. */
  whole: [WholeRequest, ShownPixels]
  /** Shows a few seconds of a video. */
  sample: [SampleRequest, MadeVideo]
  /** Shows a few seconds of a video and of its result. */
  compare: [ComparedVideos, PreviewVideo]
}
export type RequestName = keyof Requests
export type InputOf<Name extends RequestName> = Requests[Name][0]
export type ResultOf<Name extends RequestName> = Requests[Name][1]

/** What a worker is for, which decides about its priority and limits. Every worker answers all requests. */
export type WorkerKind = 'jobs' | 'trials' | 'thumbnails' | 'previews'

export type Ask<Name extends RequestName = RequestName> = {
  [N in Name]: { readonly kind: 'ask'; readonly id: number; readonly name: N; readonly input: InputOf<N> }
}[Name]

export type ToWorker =
  | Ask
  | { readonly kind: 'cancel'; readonly id: number }
  /** Pauses videos between two frames, until it is called again. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  /** Lowers the process's priority. It can't be raised again, because that requires privileges. */
  | { readonly kind: 'stepBack'; readonly step: Step }

/** About the request with this ID. The last message about a request isn't `progress`. */
export type FromWorker = { readonly id: number } & (
  | { readonly kind: 'progress'; readonly progress: ProcessingProgress }
  | { readonly kind: 'done'; readonly result: unknown }
  /** `detail` is for the log; `least` is the smallest result possible. */
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly detail?: string | undefined
      readonly least?: LeastSize | undefined
    }
)

/**
 * The requests and messages of a worker, and the types that it and its parent use. Other folders import only this file, `start-worker.ts`
 * and `supervise-worker.ts`, because the other files in `src/media` load decoders.
 */
import { FailureError } from '../shared/failure/failure-error.ts'
import type * as z from 'zod'
import type { FinishedFile, ProcessingProgress, RESULTS } from './worker-answers.ts'
import type { Failure } from '../shared/failure/failure.ts'
import type { LeastSize, PreviewView } from '../shared/model/preview.ts'
import type { ImageRecipe, ResultRules, VideoRecipe } from '../shared/preset/preset.ts'
import type { VariationValues } from '../shared/preset/variation.ts'
import type { FileIdentity } from '../node/file-identity.ts'
import type { Step } from './lower-priority.ts'
import type { PauseGate } from '../node/pause-gate.ts'

export type {
  FileEstimate,
  FinishedFile,
  MadeVideo,
  ProcessingProgress,
  ShownPixels,
} from './worker-answers.ts'

export type Recipe =
  | { readonly kind: 'image'; readonly image: ImageRecipe }
  | { readonly kind: 'video'; readonly video: VideoRecipe }

/** The result can't be made as small as the recipe requires. */
export class DoesNotFit extends FailureError {
  readonly least: LeastSize
  constructor(failure: Failure, least: LeastSize) {
    super(failure)
    this.least = least
  }
}

type NeverLarger = ResultRules['neverLarger']

/** A task as the code for photos and videos receives it. */
export type FileJob<R> = {
  /** Absolute path, of the file or of its open descriptor. Read only. */
  readonly inputPath: string
  readonly recipe: R
  readonly variation: VariationValues | undefined
  /**
   * Whether the original's bytes may become the result. They do if the recipe only compresses and the result wouldn't be smaller. With
   * `always`, a change of format counts as compressing.
   */
  readonly neverLarger: NeverLarger
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

export type WorkerTask = {
  readonly inputPath: string
  /** The input's identity when it was accepted. If absent, the worker accepts the file as it is. */
  readonly identity?: FileIdentity | undefined
  /** Private folder for all temporary files of the task. Their names begin with `temporaryPrefix`. */
  readonly folder: string
  readonly temporaryPrefix: string
  readonly recipe: Recipe
  readonly variation: VariationValues | undefined
  readonly neverLarger: NeverLarger
  /** Minimum score of the result. If its score is lower, the original is kept instead. */
  readonly keepBelowQuality?: number | undefined
  /** Whether to measure the quality of the result if that takes little of the worker's time. */
  readonly isRated?: boolean
  /** How many cores the codecs of a video use; absent for all. */
  readonly cores?: number | undefined
}

export type ResultCheck = {
  /** Absolute paths. Read only. */
  readonly original: string
  readonly result: string
  readonly kind: Recipe['kind']
  /** null if unknown, for example for another service's preset. In that case, only completeness is checked. */
  readonly recipe: Recipe | null
}

type Original = {
  /** Absolute path. Read only. */
  readonly path: string
  /** The file's identity when it was accepted or checked. If absent, the worker accepts the file as it is. */
  readonly identity?: FileIdentity | undefined
}
/** `pixels` is the side length of the thumbnail, which is square and cropped. */
export type ThumbnailRequest = Original & { readonly pixels: number }
type Result = {
  /** Absolute path of a job's result for the original. */
  readonly result: string
  readonly resultIdentity?: FileIdentity | undefined
}
export type PartRequest = Original & { readonly recipe: ImageRecipe; readonly view: PreviewView }
/** `losses` and `notes` are those of the result, if it was made for the preview. */
export type WholeRequest = Original &
  Result & { readonly recipe: ImageRecipe } & Partial<Pick<FinishedFile, 'losses' | 'notes'>>
/** `start` is in seconds; null for the section with the most motion. */
export type SampleRequest = Original & {
  readonly recipe: VideoRecipe
  /** Default: false. */
  readonly neverLarger?: NeverLarger
  readonly start: number | null
}
/** `start` is as in `SampleRequest`. */
export type ComparedVideos = Original & Result & { readonly start: number | null }

/** The requests that a worker answers, with their inputs. Any request may fail. */
type Inputs = {
  make: WorkerTask
  /** Estimates the task's result without keeping any output. */
  estimate: WorkerTask
  /** Predicts what the task's result will lose, and counts the original's pages and chapters. */
  foresee: WorkerTask
  check: ResultCheck
  thumbnail: ThumbnailRequest
  part: PartRequest
  whole: WholeRequest
  /** Measures the result that `whole` has just shown. */
  quality: Original
  /** Previews the recipe on a few seconds of a video. */
  sample: SampleRequest
  /** Shows a few seconds of a video and of its result. */
  compare: ComparedVideos
}
export type RequestName = keyof Inputs
export type InputOf<Name extends RequestName> = Inputs[Name]
export type ResultOf<Name extends RequestName> = z.output<(typeof RESULTS)[Name]>

/** The purpose of a worker. Determines its priority and limits; every worker answers all requests. */
export type WorkerKind = 'jobs' | 'trials' | 'thumbnails' | 'previews'

export type Ask<Name extends RequestName = RequestName> = {
  [N in Name]: { readonly kind: 'ask'; readonly id: number; readonly name: N; readonly input: InputOf<N> }
}[Name]

export type ToWorker =
  | Ask
  | { readonly kind: 'cancel'; readonly id: number }
  /** Pauses videos between two frames, or resumes them. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  /** Lowers the process's priority. It can't be raised again, because that requires privileges. */
  | { readonly kind: 'stepBack'; readonly step: Step }

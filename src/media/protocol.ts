/**
 * What a media process and whoever started it say to each other, and the words that both use. The only file of `src/media`
 * that others import: everything else there loads decoders.
 */
import type { Area, Extent, LeastSize, PreviewFilm, PreviewView, Spot } from '../shared/model/preview.ts'
import type { ImageRecipe, VideoRecipe } from '../shared/preset/preset.ts'
import type { VariationValues } from '../shared/preset/variation.ts'
import type { ResultNote } from '../shared/result-notes.ts'

export type Recipe =
  | { readonly kind: 'image'; readonly image: ImageRecipe }
  | { readonly kind: 'video'; readonly video: VideoRecipe }

export type ProcessingProgress = {
  /** The word a person sees, such as "Decoding", "Resizing", "Encoding". */
  readonly phase: string
  /** 0..1 of this file. */
  readonly share: number
}

/** A reason that a person can read, about one file. The rest of the batch goes on. */
export class ProcessingError extends Error {
  override readonly name = 'ProcessingError'
}

/** A size was wished for that can't be reached. */
export class DoesNotFit extends ProcessingError {
  readonly least: LeastSize
  constructor(message: string, least: LeastSize) {
    super(message)
    this.least = least
  }
}

/** What a worker is given for one file. Photos and videos follow the same shape. */
export type FileJob<R> = {
  /** Absolute. Only ever read. */
  readonly inputPath: string
  readonly recipe: R
  /** undefined: the file as it is. */
  readonly variation: VariationValues | undefined
  /** Whether the original's bytes are the result where that would not be smaller and differ in nothing else. */
  readonly neverLarger: boolean
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
  /** As it is shown: upright, and of one frame. */
  readonly width: number
  readonly height: number
  /** Each at most once; what is worth a line in the history. */
  readonly notes: readonly ResultNote[]
  /** What the notes leave out, in the words of a library: for the log alone. */
  readonly detail?: string | undefined
}

export type WorkerTask = {
  readonly inputPath: string
  /** Every temporary file of the task lies in this folder and begins with `temporaryPrefix`. */
  readonly folder: string
  readonly temporaryPrefix: string
  readonly recipe: Recipe
  readonly variation: VariationValues | undefined
  readonly neverLarger: boolean
}

/** What one file will come to. */
export type FileForecast = {
  readonly bytes: number
  /** With nothing else going on. */
  readonly milliseconds: number
  /** How far these may be off, as a share; 0 where they were measured and not reckoned. */
  readonly spread: number
}

export type ToWorker =
  /** Files of this kind are about to come. */
  | { readonly kind: 'prepare'; readonly media: Recipe['kind'] }
  | { readonly kind: 'run'; readonly task: WorkerTask }
  /** Nothing of it is kept. */
  | { readonly kind: 'forecast'; readonly task: WorkerTask }
  | { readonly kind: 'stop' }
  | { readonly kind: 'end' }

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: ProcessingProgress }
  | { readonly kind: 'finished'; readonly file: FinishedFile }
  /** `startMs` went by from the start of the process until it could begin with its first file. */
  | { readonly kind: 'forecast'; readonly forecast: FileForecast; readonly startMs: number }
  /** `reason` is for people; `detail`, where there is one, is for the log; `least`, where no less could be reached. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly detail: string | undefined
      readonly least?: LeastSize
    }
  | { readonly kind: 'stopped' }

const fromWorkerKinds: ReadonlySet<unknown> = new Set<FromWorker['kind']>([
  'progress',
  'finished',
  'forecast',
  'failed',
  'stopped',
])
const toWorkerKinds: ReadonlySet<unknown> = new Set<ToWorker['kind']>([
  'prepare',
  'run',
  'forecast',
  'stop',
  'end',
])

// Both ends are of one version, so that the kind tells the rest.
export const isFromWorker = (message: unknown): message is FromWorker => fromWorkerKinds.has(kindOf(message))
export const isToWorker = (message: unknown): message is ToWorker => toWorkerKinds.has(kindOf(message))

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined
}

/** What the app asks of the process that makes thumbnails. */
export type ThumbnailRequest = {
  readonly id: number
  /** Absolute. Only ever read. */
  readonly path: string
  /** Of each side: it is square, and cut. */
  readonly pixels: number
}

/** `webp` is null where there is nothing to show. */
export type ThumbnailAnswer = { readonly id: number; readonly webp: Uint8Array | null }

// Both ends are of one version, so that the names tell the rest.
export const isThumbnailRequest = (message: unknown): message is ThumbnailRequest =>
  hasId(message) && 'path' in message && 'pixels' in message

export const isThumbnailAnswer = (message: unknown): message is ThumbnailAnswer =>
  hasId(message) && 'webp' in message && (message.webp === null || message.webp instanceof Uint8Array)

const hasId = (message: unknown): message is { readonly id: number } =>
  typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number'

/** What the app asks of the process that shows what a recipe does. One thing at a time; what it has decoded, it keeps. */
export type PreviewRequest = {
  readonly id: number
  /** Absolute: the original. Only ever read. */
  readonly path: string
  /** Whether it steps back, behind the jobs that are worked on. */
  readonly givesWay: boolean
} & (
  | { readonly kind: 'part'; readonly recipe: ImageRecipe; readonly view: PreviewView }
  /** @param result absolute: what a job has made of the original */
  | { readonly kind: 'whole'; readonly recipe: ImageRecipe; readonly result: string }
  /** @param start seconds; null where most moves */
  | { readonly kind: 'film'; readonly recipe: VideoRecipe; readonly start: number | null }
  /** @param result absolute: what a job has made of the original */
  | { readonly kind: 'films'; readonly result: string; readonly start: number | null }
)

/** Pictures are PNG and hold no more than pixels. */
export type ShownPixels = {
  readonly extent: Extent
  readonly original: Extent
  readonly area: Area
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** A sample of what a recipe makes of a film. */
export type MadeFilm = {
  readonly film: PreviewFilm
  /** The recipe, with the quality that its goal comes to. */
  readonly recipe: VideoRecipe
  /** Whether the original takes the place of a larger result, where results may not be larger. */
  readonly takesOriginal: boolean
}

export type PreviewAnswer =
  | { readonly id: number; readonly kind: 'part'; readonly pixels: ShownPixels; readonly middle: Spot }
  | { readonly id: number; readonly kind: 'whole'; readonly pixels: ShownPixels }
  | ({ readonly id: number; readonly kind: 'film' } & MadeFilm)
  | { readonly id: number; readonly kind: 'films'; readonly film: PreviewFilm }
  /** `reason` is for people. */
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string }

// Both ends are of one version, so that the names tell the rest.
export const isPreviewRequest = (message: unknown): message is PreviewRequest =>
  hasId(message) && 'kind' in message && 'path' in message

export const isPreviewAnswer = (message: unknown): message is PreviewAnswer =>
  hasId(message) && ('pixels' in message || 'film' in message || 'reason' in message)

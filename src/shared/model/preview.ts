/** Previews of a preset before a job is started: pixels of an original and of its result. */
import type { Area, Extent } from '../extent.ts'
import type { Failure } from '../failure/failure.ts'
import type { MediaKind } from '../media-types.ts'
import type { Quality } from '../quality/quality.ts'
import type { ResultNote } from '../result-notes.ts'
import type { MediaItem } from './media-item.ts'

/** A point, as fractions of width and height. */
export type Spot = { readonly x: number; readonly y: number }

/** The visible area, in pixels of the result. If `middle` is null, the preview shows the most detailed area. */
export type PreviewView = Extent & { readonly middle: Spot | null }

export type PreviewRequest = {
  /** Absolute path of a file that the app knows. */
  readonly path: string
  /** The preset document as written. */
  readonly preset: Readonly<Record<string, unknown>>
  readonly part: MediaKind
  readonly view: PreviewView
  /** Start of a video sample in seconds; null selects the part with the most motion. */
  readonly start: number | null
}

export type PreviewFiles = {
  /** The most recently previewed file, or the first one of the draft. */
  readonly current: MediaItem | null
  /** A few files of recent jobs, newest first. */
  readonly recent: readonly MediaItem[]
}

/** Two images of the same area of the result. */
export type PreviewPixels = {
  /** Dimensions of the whole result. */
  readonly extent: Extent
  /** Dimensions of the whole original after its orientation has been applied. */
  readonly original: Extent
  readonly area: Area
  /** Keys for `pixelsUrl`, valid while the preview is shown. */
  readonly before: string
  readonly after: string
}

/** A video sample for the window, in lossless VP9, which Chromium plays on every system. */
export type VideoTrack = Extent & {
  /** For each frame, its time in seconds from the start of the sample, and its size in bytes. */
  readonly pictures: readonly { readonly seconds: number; readonly bytes: number }[]
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly colors: VideoColors
}
/** Color encoding, with the names that WebCodecs uses. */
export type VideoColors = 'bt709' | 'smpte170m'

/** Synchronized samples of a few seconds from an original video and its result. */
export type PreviewVideo = {
  /** Dimensions of the whole result. */
  readonly extent: Extent
  /** Dimensions of the whole original after its orientation has been applied. */
  readonly original: Extent
  readonly isHdr: boolean
  readonly before: VideoTrack
  /** null if the video track isn't re-encoded. */
  readonly after: VideoTrack | null
  /** Start and length of the sample, and length of the video, in seconds. */
  readonly start: number
  readonly seconds: number
  readonly videoSeconds: number
}

/** The smallest file size possible at these dimensions. */
export type LeastSize = Extent & { readonly bytes: number }

export type PreviewFailed = {
  readonly kind: 'failed'
  /** The smallest possible size, if the requested size can't be reached. */
  readonly least?: LeastSize
  /** null if the process ended without giving a reason, or if the preset is invalid. */
  readonly failure: Failure | null
}
/** A newer request has replaced this one. */
export type PreviewOvertaken = { readonly kind: 'overtaken' }

export const OVERTAKEN: PreviewOvertaken = { kind: 'overtaken' }

/** The failure if a process exited or a preset is invalid. */
export const UNKNOWN_FAILURE: PreviewFailed = { kind: 'failed', failure: null }

/** A preview of the visible area of an image, or of a few seconds of a video. Only this part is encoded. */
export type PreviewPart =
  | { readonly kind: 'part'; readonly pixels: PreviewPixels; readonly middle: Spot }
  | {
      readonly kind: 'video'
      readonly video: PreviewVideo
      /** Of the sample; null if it is unknown. */
      readonly quality: Quality | null
    }
  | PreviewFailed
  | PreviewOvertaken

/** How similar the whole result of a photo looks to its original; null if that is unknown. */
export type PreviewQuality =
  | { readonly kind: 'measured'; readonly quality: Quality | null }
  | PreviewFailed
  | PreviewOvertaken

export type PreviewSize = {
  /** Size of the file that a job would save. This is the original's size if the job would keep the original. */
  readonly bytes: number
  /** Size of the discarded result if the job would keep the original because the result isn't smaller; otherwise null. */
  readonly refused: number | null
  readonly originalBytes: number
  /** Processing time on an otherwise idle computer. */
  readonly milliseconds: number
}

/** The whole result as a job would create it. For a video, an estimate based on samples. */
export type PreviewWhole =
  | (PreviewSize & {
      readonly kind: 'whole'
      readonly pixels: PreviewPixels
      readonly notes: readonly ResultNote[]
    })
  | (PreviewSize & { readonly kind: 'estimated' })
  | PreviewFailed
  | PreviewOvertaken

export type PreviewComparison =
  | Extract<PreviewWhole, { readonly kind: 'whole' }>
  | ({
      readonly kind: 'video'
      readonly video: PreviewVideo
    } & Pick<PreviewSize, 'bytes' | 'originalBytes'>)
  | PreviewFailed
  | PreviewOvertaken

/** What the window shows of a preset before anything is started: pixels of an original, and of what the preset makes of it. */
import type { MediaKind } from '../media-types.ts'
import type { ResultNote } from '../result-notes.ts'
import type { MediaItem } from './media-item.ts'

/** In pixels. */
export type Extent = { readonly width: number; readonly height: number }
export type Area = Extent & { readonly left: number; readonly top: number }

/** Shares of the width and of the height. */
export type Spot = { readonly x: number; readonly y: number }

/** The part in view, in pixels of the result. `middle` is null where nothing was chosen: then where most detail is. */
export type PreviewView = Extent & { readonly middle: Spot | null }

export type PreviewWish = {
  /** Absolute: a file that the app knows. */
  readonly path: string
  /** The document of the preset, as it was written. */
  readonly preset: Readonly<Record<string, unknown>>
  readonly part: MediaKind
  readonly view: PreviewView
  /** Where the sample of a video begins, in seconds; null where nothing was chosen: then where most moves. */
  readonly start: number | null
}

/** What a preview can be made of. */
export type PreviewFiles = {
  /** Taken last, else the first of the draft. */
  readonly current: MediaItem | null
  /** Of the last jobs, the newest first; a few. */
  readonly recent: readonly MediaItem[]
}

/** Two pictures of one area of the result. */
export type PreviewPixels = {
  /** The whole result. */
  readonly extent: Extent
  /** The whole original, upright. */
  readonly original: Extent
  readonly area: Area
  /** Names by which the pixels can be had (`pixelsUrl`) while they are in use. */
  readonly before: string
  readonly after: string
}

/** Moving pictures for the window: VP9, which Chromium plays everywhere, without loss. */
export type FilmTrack = Extent & {
  /** When each picture is shown, in seconds from the beginning of the sample, and how many of the bytes it has. */
  readonly pictures: readonly { readonly seconds: number; readonly bytes: number }[]
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly colours: FilmColours
}
/** How the colours are coded, by the names of WebCodecs. */
export type FilmColours = 'bt709' | 'smpte170m'

/** A few seconds of a film from both sides, at one pace. */
export type PreviewFilm = {
  /** The whole result. */
  readonly extent: Extent
  /** The whole original, upright. */
  readonly original: Extent
  /** Whether the original has a high dynamic range. */
  readonly isHdr: boolean
  readonly before: FilmTrack
  /** null: the pictures stay as they are. */
  readonly after: FilmTrack | null
  /** Where the sample begins, how long it is, and how long the film is, in seconds. */
  readonly start: number
  readonly seconds: number
  readonly filmSeconds: number
}

/** The fewest bytes that a picture of these pixels can have. */
export type LeastSize = Extent & { readonly bytes: number }

export type PreviewFailed = {
  readonly kind: 'failed'
  /** Where a size was wished for that can't be reached. */
  readonly least?: LeastSize
  /** A sentence for a person, in the words of whatever reads the file; null where the process has ended without one. */
  readonly reason: string | null
}
/** A newer wish took its place. */
export type PreviewOvertaken = { readonly kind: 'overtaken' }

/** The part in view, encoded by itself; of a video, a few seconds. */
export type PreviewPart =
  | { readonly kind: 'part'; readonly pixels: PreviewPixels; readonly middle: Spot }
  | { readonly kind: 'film'; readonly film: PreviewFilm }
  | PreviewFailed
  | PreviewOvertaken

/** What a file comes to. */
export type PreviewSize = {
  /** Of what a job would put down: the original's, where it would keep that. */
  readonly bytes: number
  /** Of the larger result in whose place the original is kept; null where that is not so. */
  readonly refused: number | null
  readonly originalBytes: number
  /** How long the file takes, with nothing else going on. */
  readonly milliseconds: number
}

/** The whole file, as a job would make it; of a video, what the samples say of it. */
export type PreviewWhole =
  | (PreviewSize & {
      readonly kind: 'whole'
      readonly pixels: PreviewPixels
      readonly notes: readonly ResultNote[]
    })
  | (PreviewSize & { readonly kind: 'reckoned' })
  | PreviewFailed
  | PreviewOvertaken

/** An original beside what a job has made of it. */
export type PreviewComparison =
  | Extract<PreviewWhole, { readonly kind: 'whole' }>
  | ({
      readonly kind: 'film'
      readonly film: PreviewFilm
    } & Pick<PreviewSize, 'bytes' | 'originalBytes'>)
  | PreviewFailed
  | PreviewOvertaken

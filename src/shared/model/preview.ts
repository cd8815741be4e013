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

export type PreviewFailed = {
  readonly kind: 'failed'
  /** A sentence for a person, in the words of whatever reads the file; null where the process has ended without one. */
  readonly reason: string | null
}
/** A newer wish took its place. */
export type PreviewOvertaken = { readonly kind: 'overtaken' }

/** The part in view, encoded by itself. */
export type PreviewPart =
  | { readonly kind: 'part'; readonly pixels: PreviewPixels; readonly middle: Spot }
  | PreviewFailed
  | PreviewOvertaken

/** The whole file, as a job would make it. */
export type PreviewWhole =
  | {
      readonly kind: 'whole'
      readonly pixels: PreviewPixels
      /** Of what a job would put down: the original's, where it would keep that. */
      readonly bytes: number
      /** Of the larger result in whose place the original is kept; null where that is not so. */
      readonly refused: number | null
      readonly originalBytes: number
      /** How long the file has taken, with nothing else going on. */
      readonly milliseconds: number
      readonly notes: readonly ResultNote[]
    }
  | PreviewFailed
  | PreviewOvertaken

/**
 * Lists what users would miss in a file. The inventory of an original photo comes from what the worker has already opened. The inventories
 * of videos and of results come from opening the file again.
 */
import type { Extent } from '../../shared/extent.ts'

export type PhotoInventory = Extent & {
  readonly kind: 'image'
  /** The format as users know it, such as `JPEG XL`. */
  readonly format: string
  /** Independent images, as in TIFF. 1 for an animation. */
  readonly pages: number
  /** Frames of an animation; otherwise 1. */
  readonly frames: number
  /** Total time that an animation takes, in ms; undefined if it isn't animated or its timing is unknown. */
  readonly animationMs?: number | undefined
  /** How often an animation is played, 0 for endlessly; undefined if it isn't animated. */
  readonly loop?: number | undefined
  readonly bitDepth: number
  /** Whether the photo has an alpha channel. An original's channel that is opaque everywhere doesn't count if the result has none. */
  readonly hasAlpha: boolean
  /** How the file defines its colors. `own`: by a profile or by numbers (nclx, cICP, cHRM with gAMA). `inks`: CMYK. */
  readonly color: 'sRGB' | 'own' | 'inks'
  /** Width of a pixel as a share of its height. */
  readonly pixelAspect: number
  /** `float` stands for floating-point samples brighter than white. */
  readonly hdr: 'none' | 'gainMap' | 'pq' | 'hlg' | 'float'
  readonly exif: boolean
  readonly xmp: boolean
  /** Including what Photoshop stores with it, such as the copyright. */
  readonly iptc: boolean
  readonly comment: boolean
  readonly tags: Tags
  /** Length of the embedded video in seconds, 0 if unknown; undefined without one. */
  readonly motionPhoto?: number | undefined
  readonly depthMap: boolean
  /** Further images that aren't pages, previews or thumbnails, but describe the main one. */
  readonly embeddedImages: number
  /** Independent images after the main one, such as another view. */
  readonly furtherPictures: number
  readonly appendedData: boolean
  /** Whether the file contains a signed record of who made or changed it (C2PA). */
  readonly contentCredentials: boolean
  /** Whether the file has paths, one of which may cut out its subject. */
  readonly clippingPath: boolean
  readonly layers: boolean
  /** Channels that are neither colors nor transparency, such as spot colors. */
  readonly extraChannels: number
  /** Whether the file maps its pixels to geographic positions (GeoTIFF). */
  readonly georeference: boolean
}

/** Metadata about how a file was made, regardless of how the file stores it. */
export type Tags = {
  readonly camera: boolean
  readonly captureDate: boolean
  readonly author: boolean
  readonly location: boolean
  /** All other tags that users write, such as a title. */
  readonly others: readonly OtherTag[]
}

export type OtherTag = {
  /** Lowercase. */
  readonly name: string
  /** Set if containers may use different names for the same value. */
  readonly value?: string | undefined
}

export type VideoInventory = Extent & {
  readonly kind: 'video'
  /** The container as users know it, such as `WebM`. */
  readonly format: string
  /** Length of the main video track; 0 if unknown. */
  readonly seconds: number
  /** The greatest possible length according to the header, which may be ambiguous; undefined if unknown. */
  readonly mostSeconds?: number | undefined
  /** Number of frames of the main video track, without those that a maximum frame rate drops; undefined unless they were counted. */
  readonly frames?: number | undefined
  /** The most likely number of frames per second of the main video track; 0 if unknown, for example with a variable rate. */
  readonly frameRate: number
  readonly bitDepth: number
  /** Horizontal and vertical color resolution, such as `4:2:0`. */
  readonly chroma: string
  readonly isInterlaced: boolean
  readonly hasAlpha: boolean
  readonly color: 'sRGB' | 'profile' | 'numbers'
  readonly hdr: 'none' | 'pq' | 'hlg'
  readonly dolbyVision: boolean
  readonly spherical: boolean
  readonly stereo3d: boolean
  /** The number of video tracks, not counting covers. */
  readonly videoTracks: number
  /** The number of the main video track among them, from 1. Results have only this one. */
  readonly mainVideo: number
  readonly embeddedImages: number
  readonly audio: readonly AudioInventory[]
  readonly subtitles: readonly TrackInventory[]
  /** Types of cameras' data tracks, such as `gpmd`. */
  readonly dataTracks: readonly string[]
  readonly chapters: number
  /** Languages of the chapters' additional names. */
  readonly chapterNames: readonly string[]
  /** Languages of those names that contain coordinates, which a result without location omits. */
  readonly placeNames: readonly string[]
  /** Whether the chapters choose which parts are shown, and in which order. */
  readonly hasChapterOrder: boolean
  readonly attachments: number
  /** How many attachments are fonts, which aren't metadata. */
  readonly fonts: number
  readonly xmp: boolean
  readonly contentCredentials: boolean
  /** Other metadata of the whole file, for example from cameras. */
  readonly metadataBlocks: readonly string[]
  /** Kinds of metadata within the frames, such as `Exif`. */
  readonly inFrames: readonly string[]
  readonly tags: Tags
}

export type TrackInventory = {
  readonly codec: string
  /** BCP 47 or ISO 639; undefined if it isn't known. */
  readonly language?: string | undefined
  readonly title?: string | undefined
  readonly isDefault: boolean
  /** FFmpeg's flags for the purpose of the track, such as commentary. */
  readonly roles: number
  /** Whether the conversion has already reported the track as lost. */
  readonly isNamed?: boolean | undefined
  /** Whether the file marks the track's language as the original language of the video. */
  readonly isOriginal?: boolean | undefined
}

export type AudioInventory = TrackInventory & {
  readonly channels: number
  /** FFmpeg's name of the channel layout, such as `5.1`. */
  readonly layout: string
  /** FFmpeg's mask of the channels' positions; the usual positions if the file states none. */
  readonly places: bigint
  readonly isLossless: boolean
}

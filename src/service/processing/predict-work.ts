/** Predicts how long files take compared with each other, for the progress of a job and the order of its videos. */
import { MAX_PIXELS } from '../../shared/extent.ts'
import type { Recipe } from '../../media/protocol.ts'
import { DAY_MS } from '../../shared/durations.ts'
import type { FileHeader } from '../../shared/model/file-facts.ts'
import { type ImageRecipe, isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import { extentOf, pixelsOfPhoto, pixelsOfVideo, USUAL_VIDEO } from './pixels.ts'

/** Time to open a file and publish its result, in ms. */
const EACH_FILE = 10
/** Nanoseconds for each pixel of the original. JPEG files are decoded at a fraction of their dimensions. */
const DECODED: Readonly<Record<string, number>> = { jpg: 3, webp: 20, avif: 30, jxl: 30 }
const USUALLY_DECODED = 8
/** Nanoseconds for each pixel of the result. */
const ENCODED: Readonly<Record<string, number>> = {
  jpeg: 12,
  png: 25,
  tiff: 20,
  gif: 40,
  webp: 35,
  jxl: 40,
  avif: 500,
}
/** Factors of the encoding time: for the effort that makes smaller files, and for a search for a visual quality or a file size. */
const SMALL_EFFORT = 3
const SEARCHED = 5

/** Nanoseconds for each pixel of a frame. */
const FRAME_DECODED = 2.2
/** At the speed `veryfast`. */
const FRAME_ENCODED: Readonly<Record<VideoRecipe['codec'], number>> = {
  h264: 6,
  hevc: 25,
  vp9: 25,
  av1: 15,
  webp: 60,
  gif: 20,
  copy: 0,
  none: 0,
}
const SLOWER: Readonly<Record<VideoRecipe['speed'], number>> = {
  ultrafast: 0.4,
  veryfast: 1,
  fast: 2,
  medium: 3,
  slow: 5,
}
/** Milliseconds for each second of audio. */
const AUDIO = 5

/** Assumptions for unknown properties. */
const USUAL_FPS = 30
const USUAL_PHOTO_PIXELS = 12_000_000
const PHOTO_PIXELS_PER_BYTE = 3
const VIDEO_BYTES_PER_SECOND = 1_000_000
const USUAL_SECONDS = 30
/** Durations that are longer, or that don't fit the size of their file, are those of damaged headers. */
const LONGEST_SECONDS = (7 * DAY_MS) / 1_000
const BYTES_PER_SECOND = { least: 100, most: 4e9 } as const

export type WeighedFacts = FileHeader & {
  /** The usual extension of its format. */
  readonly format: string | undefined
  /** Negative if unknown. */
  readonly bytes: number
}

/** @returns ms on one core of an average computer. Only comparisons between files are meaningful */
export const predictWork = (facts: WeighedFacts, recipe: Recipe): number =>
  EACH_FILE + (recipe.kind === 'image' ? workOfPhoto(facts, recipe.image) : workOfVideo(facts, recipe.video))

function workOfPhoto(facts: WeighedFacts, recipe: ImageRecipe): number {
  const { format = '', bytes } = facts
  const side = Math.sqrt(bytes < 0 ? USUAL_PHOTO_PIXELS : Math.max(1, bytes * PHOTO_PIXELS_PER_BYTE))
  const extent = extentOf(facts) ?? { width: side, height: side }
  const isSearched = recipe.look !== undefined || recipe.maxBytes !== undefined
  const encoded =
    (ENCODED[recipe.format === 'same' ? format : recipe.format] ?? ENCODED['jpeg'] ?? 0) *
    (recipe.effort === 'small' ? SMALL_EFFORT : 1) *
    (isSearched ? SEARCHED : 1)
  const decoded = DECODED[format] ?? USUALLY_DECODED
  const result = Math.min(MAX_PIXELS, pixelsOfPhoto(recipe, extent))
  return (extent.width * extent.height * decoded + result * encoded) / 1e6
}

function workOfVideo(facts: WeighedFacts, recipe: VideoRecipe): number {
  const { codec, speed, fps = USUAL_FPS } = recipe
  const { width, height } = extentOf(facts) ?? USUAL_VIDEO
  const stated = secondsOf(facts)
  const guessed = facts.bytes < 0 ? USUAL_SECONDS : facts.bytes / VIDEO_BYTES_PER_SECOND
  const seconds = stated ?? guessed
  const isOnlyAudio = stated !== undefined && facts.width === null
  if (codec === 'copy' || codec === 'none' || isOnlyAudio) return seconds * AUDIO
  const encoded = FRAME_ENCODED[codec] * (isAnimation(codec) ? 1 : SLOWER[speed])
  const nanoseconds =
    USUAL_FPS * width * height * FRAME_DECODED +
    Math.min(fps, USUAL_FPS) * pixelsOfVideo(recipe, { width, height }) * encoded
  return seconds * (AUDIO + nanoseconds / 1e6)
}

/** Returns the duration in the header; undefined if it is unknown or absurd. A damaged header may contain any number. */
function secondsOf({ duration, bytes }: WeighedFacts): number | undefined {
  const seconds = (duration ?? 0) / 1_000
  const rate = bytes / seconds
  const fits = bytes < 0 || (rate >= BYTES_PER_SECOND.least && rate <= BYTES_PER_SECOND.most)
  return seconds > 0 && seconds <= LONGEST_SECONDS && fits ? seconds : undefined
}
